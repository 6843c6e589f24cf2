/**
 * * A sample recording from the API's speech model.
 *
 * @param {import('../api/client.js').Client} client
 * @param {string} model
 * @param {{ label: string, text: string }} sample
 * @returns {import('../dom/samples.js').Sample}
 */
export function spokenSample(client, model, { label, text }) {
  return {
    label,
    async make() {
      const response = await client.send({ path: '/audio/speech', json: { model, input: text } });
      return new File([await response.blob()], 'sample.wav', { type: 'audio/wav' });
    },
  };
}
