/** Bytes of the API's WAV header (16-bit PCM). */
const headerBytes = 44;
const dataSizeAt = 40;

/**
 * * Plays a mono 16-bit WAV while it streams.
 *
 * @param {Response} response
 * @param {AbortSignal} signal stops transfer and playback
 * @returns {Promise<{ file: File, played: Promise<void> }>} the complete file, and the end of playback
 */
export async function playWav(response, signal) {
  const context = new AudioContext();
  const stop = () => void context.close().catch(() => undefined);
  signal.addEventListener('abort', stop);
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const pieces = [];
  let rest = new Uint8Array();
  let rateHz = 0;
  /** @type {AudioBufferSourceNode | undefined} */
  let last;
  let endsAt = 0;
  const reader = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (response.body).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      pieces.push(value);
      rest = joined([rest, value]);
      if (rateHz === 0) {
        if (rest.length < headerBytes) continue;
        rateHz = new DataView(rest.buffer).getUint32(24, true);
        rest = rest.slice(headerBytes);
      }
      const whole = rest.length - (rest.length % 2);
      if (whole === 0) continue;
      last = toSource(context, rest.slice(0, whole), rateHz);
      const startsAt = Math.max(endsAt, context.currentTime);
      last.start(startsAt);
      endsAt = startsAt + (last.buffer?.duration ?? 0);
      rest = rest.slice(whole);
    }
  } catch (error) {
    stop();
    throw error;
  }
  const played = new Promise((/** @type {(value: void) => void} */ resolve) => {
    signal.addEventListener('abort', () => resolve());
    if (last) last.addEventListener('ended', () => resolve());
    else resolve();
  });
  void played.then(stop);
  return { file: new File([withSizes(joined(pieces))], 'speech.wav', { type: 'audio/wav' }), played };
}

/** @param {AudioContext} context @param {Uint8Array<ArrayBuffer>} bytes @param {number} rateHz */
function toSource(context, bytes, rateHz) {
  const view = new DataView(bytes.buffer);
  const buffer = context.createBuffer(1, bytes.length / 2, rateHz);
  const samples = buffer.getChannelData(0);
  for (let index = 0; index < samples.length; index += 1)
    samples[index] = view.getInt16(index * 2, true) / 0x8000;
  const source = context.createBufferSource();
  source.buffer = buffer;
  source.connect(context.destination);
  return source;
}

/** Streamed WAV headers have no sizes. @param {Uint8Array<ArrayBuffer>} wav */
function withSizes(wav) {
  if (wav.length < headerBytes) return wav;
  const view = new DataView(wav.buffer);
  view.setUint32(4, wav.length - 8, true);
  view.setUint32(dataSizeAt, wav.length - headerBytes, true);
  return wav;
}

/** @param {readonly Uint8Array<ArrayBuffer>[]} pieces */
function joined(pieces) {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
