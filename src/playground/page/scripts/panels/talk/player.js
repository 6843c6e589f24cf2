import { sampleRateHz } from './microphone.js';

/**
 * * Plays streamed speech and tracks how much of each item was heard.
 *
 * @typedef {object} Player
 * @property {(item: string, base64: string) => void} play
 * @property {() => { item: string, heardMs: number } | undefined} stop immediately; returns the current item, if any
 * @property {() => void} close
 */

/** @returns {Player} */
export function createPlayer() {
  const context = new AudioContext({ sampleRate: sampleRateHz });
  /** @type {Set<AudioBufferSourceNode>} */
  const sources = new Set();
  let item = '';
  let startedAt = 0;
  let endsAt = 0;

  return {
    play(id, base64) {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const samples = new Int16Array(bytes.buffer);
      if (samples.length === 0) return;
      const buffer = context.createBuffer(1, samples.length, sampleRateHz);
      buffer.copyToChannel(
        Float32Array.from(samples, (sample) => sample / 0x8000),
        0,
      );
      const source = context.createBufferSource();
      source.buffer = buffer;
      source.connect(context.destination);
      const at = Math.max(endsAt, context.currentTime);
      if (id !== item) [item, startedAt] = [id, at];
      source.start(at);
      endsAt = at + buffer.duration;
      sources.add(source);
      source.addEventListener('ended', () => sources.delete(source));
    },
    stop() {
      const now = context.currentTime;
      if (now >= endsAt) return undefined;
      for (const source of sources) source.stop();
      endsAt = now;
      return { item, heardMs: Math.max(0, Math.round((now - startedAt) * 1000)) };
    },
    close: () => void context.close().catch(() => undefined),
  };
}
