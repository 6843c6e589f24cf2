/** Samples of one message: 40 ms at 24 kHz. */
const samplesPerMessage = 960;

/** Posts the microphone's samples as 16-bit integers, with their level. */
class Capture extends AudioWorkletProcessor {
  #pcm = new Int16Array(samplesPerMessage);
  #filled = 0;

  /** @param {readonly (readonly Float32Array[])[]} inputs of one microphone */
  process(inputs) {
    for (const sample of inputs[0]?.[0] ?? []) {
      this.#pcm[this.#filled++] = Math.round(Math.max(-1, Math.min(1, sample)) * 0x7fff);
      if (this.#filled < samplesPerMessage) continue;
      this.port.postMessage(this.#pcm.buffer, [this.#pcm.buffer]);
      this.#pcm = new Int16Array(samplesPerMessage);
      this.#filled = 0;
    }
    return true;
  }
}

registerProcessor('capture', Capture);
