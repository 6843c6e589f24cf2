import { readFile } from 'node:fs/promises';
import { createInference, InferenceError, speech } from '../../index.ts';
import { encodePng } from '../../runtime/image.ts';
import { unreadable, UsageError } from '../options.ts';

export const spokenText =
  'A red circle is above a blue square. Two green stars are to the left of a black triangle. What is three plus four? It is seven.';

/** @param path of the option `--file` */
export async function readSample(path: string): Promise<Uint8Array> {
  return readFile(path).catch(unreadable('--file', path));
}

const pictureSize = { width: 640, height: 480 };

/** A PNG of colored stripes: as much work to decode and process as any picture. */
export async function drawPicture(): Promise<Uint8Array> {
  const length = 3 * pictureSize.width * pictureSize.height;
  const pixels = Uint8Array.from({ length }, (_, at) => (at * 7) >> 10);
  return encodePng(pixels, pictureSize);
}

/** Generates speech with the bundled model, as input for a recognizer. */
export async function recordSpeech(signal: AbortSignal): Promise<Uint8Array> {
  const model = 'tiny-speech';
  const inference = createInference({ models: { [model]: speech({ source: model }) } });
  try {
    const pieces: Uint8Array[] = [];
    for await (const event of inference.speak({ model, input: spokenText }, { signal })) {
      if (event.type === 'audio') pieces.push(event.bytes);
    }
    return Buffer.concat(pieces);
  } catch (error) {
    if (!InferenceError.isInstance(error) || signal.aborted) throw error;
    throw new UsageError(
      '--file: expected a recording, since the bundled model that would speak one is missing',
      { cause: error },
    );
  } finally {
    await inference.close();
  }
}
