import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

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
  // Without the memory settings of our workers.
  const { GLIBC_TUNABLES: _, ...env } = process.env;
  const child = spawn(python, [file, ...parameters], { stdio: ['pipe', 'pipe', 'inherit'], env });
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
