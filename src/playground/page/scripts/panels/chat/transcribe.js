/**
 * *
 *
 * @param {import('../../api/client.js').Client} client
 * @param {string} model
 * @param {File} file
 * @param {AbortSignal} signal
 * @returns {Promise<string>}
 */
export async function transcribe(client, model, file, signal) {
  /** @type {(readonly [string, string | File])[]} */
  const form = [
    ['file', file],
    ['model', model],
  ];
  const response = await client.send({ path: '/audio/transcriptions', form }, signal);
  return /** @type {{ text: string }} */ (await response.json()).text;
}
