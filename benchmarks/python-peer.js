import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { default as wavefile } from 'wavefile';
import { openAudio } from '../dist/src/runtime/audio/open-audio.js';

export const sampleRateHz = 16_000;

/**
 * What a peer's script says of a recording: its path goes in as a line, one line of JSON comes back.
 *
 * @typedef {{ milliseconds: number, cpuMilliseconds: number, tokens?: number, text?: string }} Transcribed
 */

/**
 * A process of Python with a model. Its first line of output has `versions`.
 *
 * @param {string} python
 * @param {string} script its file name in this folder
 * @param {readonly string[]} parameters
 */
export async function startPeer(python, script, parameters) {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(python, [file, ...parameters], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout);
  const [hello] = await once(lines, 'line');
  return {
    /** @type {string} */
    versions: JSON.parse(hello).versions,
    /** @param {string} path of 32-bit floats at 16 kHz @returns {Promise<Transcribed>} */
    async transcribe(path) {
      const answer = once(lines, 'line');
      child.stdin.write(`${path}\n`);
      const [line] = await answer;
      return JSON.parse(line);
    },
    close: () => child.stdin.end(),
  };
}

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
