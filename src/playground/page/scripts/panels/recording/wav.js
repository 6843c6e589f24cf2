/** Rate of recognition models. */
const sampleRateHz = 16_000;

/**
 * * Converts any audio that the browser can play to WAV (mono, 16 kHz, 16 bits): servers may not support the browser's recording
 * format.
 *
 * @param {Blob} audio
 * @returns {Promise<Blob>}
 */
export async function toWav(audio) {
  const encoded = await audio.arrayBuffer();
  const decoded = await new OfflineAudioContext(1, 1, sampleRateHz).decodeAudioData(encoded);
  const context = new OfflineAudioContext(1, Math.max(1, decoded.length), sampleRateHz);
  const source = context.createBufferSource();
  source.buffer = decoded;
  source.connect(context.destination);
  source.start();
  const mono = await context.startRendering();
  return new Blob([encodeWav(mono.getChannelData(0))], { type: 'audio/wav' });
}

/** @param {Float32Array} samples from -1 to 1 @returns {ArrayBuffer} */
function encodeWav(samples) {
  const bytes = new ArrayBuffer(44 + samples.length * 2);
  const view = new DataView(bytes);
  const write = (/** @type {number} */ at, /** @type {string} */ text) =>
    [...text].forEach((letter, index) => view.setUint8(at + index, letter.charCodeAt(0)));
  write(0, 'RIFF');
  view.setUint32(4, 36 + samples.length * 2, true);
  write(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRateHz, true);
  view.setUint32(28, sampleRateHz * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  write(36, 'data');
  view.setUint32(40, samples.length * 2, true);
  samples.forEach((sample, index) => {
    const clipped = Math.max(-1, Math.min(1, sample));
    view.setInt16(44 + index * 2, Math.round(clipped * 0x7fff), true);
  });
  return bytes;
}
