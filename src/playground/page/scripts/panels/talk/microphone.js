/** Rate of realtime sessions. */
export const sampleRateHz = 24_000;

/**
 * * Opens the microphone, with echo cancellation if available.
 *
 * @param {(pcm: Int16Array<ArrayBuffer>) => void} onAudio pieces of 40 ms
 * @returns {Promise<{ close: () => void }>}
 */
export async function openMicrophone(onAudio) {
  if (!navigator.mediaDevices) throw new Error('Browsers give the microphone to https and localhost only.');
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
  });
  const context = new AudioContext({ sampleRate: sampleRateHz });
  const close = () => {
    for (const track of stream.getTracks()) track.stop();
    void context.close().catch(() => undefined);
  };
  try {
    await context.audioWorklet.addModule(new URL('capture-worklet.js', import.meta.url).href);
    const capture = new AudioWorkletNode(context, 'capture', {
      channelCount: 1,
      channelCountMode: 'explicit',
    });
    capture.port.addEventListener('message', ({ data }) => onAudio(new Int16Array(data)));
    capture.port.start();
    context.createMediaStreamSource(stream).connect(capture).connect(context.destination);
    await context.resume();
  } catch (error) {
    close();
    throw error;
  }
  return { close };
}

/** @param {Int16Array} pcm @returns {number} 0 to 1, linear in decibels from −60 */
export function levelOf(pcm) {
  const power = pcm.reduce((sum, sample) => sum + (sample / 0x8000) ** 2, 0) / pcm.length;
  return Math.max(0, Math.min(1, 1 + Math.log10(power + 1e-12) / 6));
}

/** @param {Int16Array<ArrayBuffer>} pcm @returns {string} base64 */
export function toBase64(pcm) {
  return btoa(String.fromCharCode(...new Uint8Array(pcm.buffer)));
}
