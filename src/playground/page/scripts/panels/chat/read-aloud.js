import { playWav } from '../speech/play-wav.js';

/**
 * * @param {import('../../api/client.js').Client} client
 * @param {string} model
 * @param {(error: unknown) => void} onError
 * @returns {(markdown: string, signal: AbortSignal) => Promise<void>} resolves at the end of the audio
 */
export function createReadAloud(client, model, onError) {
  return async (markdown, signal) => {
    try {
      const json = { model, input: toSpoken(markdown) };
      const response = await client.send({ path: '/audio/speech', json }, signal);
      const { played } = await playWav(response, signal);
      await played;
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
  };
}

/** Markdown without its marks. @param {string} markdown */
function toSpoken(markdown) {
  return (
    markdown
      .replaceAll(/^ *(?:[#>*+-]+|```.*) */gm, '')
      .replaceAll(/[*_`|]+/g, ' ')
      .trim() || '…'
  );
}
