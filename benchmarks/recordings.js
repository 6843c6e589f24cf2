import { default as wavefile } from 'wavefile';
import { openAudio } from '../dist/src/runtime/audio/open-audio.js';

export const sampleRateHz = 16_000;

/** @param {string} path @returns {Promise<Float32Array>} at 16 kHz */
export async function readRecording(path) {
  const { blocks } = await openAudio({ path }, { maxSeconds: 600 });
  /** @type {number[]} */
  const samples = [];
  for await (const block of blocks) for (const sample of block) samples.push(sample);
  return Float32Array.from(samples);
}

/** @param {Float32Array} samples */
export function toWav(samples) {
  const file = new wavefile.WaveFile();
  file.fromScratch(1, sampleRateHz, '32f', samples);
  return file.toBuffer();
}
