// What a long recording with pauses costs beside faster-whisper (beam 1) with the same weights: wall and processor time, in turns.
// Usage: node benchmarks/transcription-faster-whisper.js PYTHON [rounds] [--models tiny-en,base] [--types fp32,q8] [--threads 1,2] [--seconds 450]
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { memorySettings } from '../dist/src/engine/worker-process.js';
import { loadPipeline } from '../dist/src/loading/load-pipeline.js';
import { completeTranscriptionRequest } from '../dist/src/categories/transcription/request.js';
import { collectTranscription } from '../dist/src/categories/transcription/result.js';
import { computeInThisThread } from '../dist/src/runtime/native/session-core.js';
import { cpuTimer, machine, median } from './measure.js';
import { startPeer } from './python-peer.js';
import { readRecording, sampleRateHz, toWav } from './recordings.js';
import { findRealModel } from './real-models.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    models: { type: 'string', default: 'tiny-en,base' },
    types: { type: 'string', default: 'fp32,q8' },
    threads: { type: 'string', default: '1,2' },
    seconds: { type: 'string', default: '450' },
  },
});
const [python = 'python3', rounds = '3'] = positionals;
/** The peer's name of each type of numbers. @type {Record<string, string>} */
const theirTypes = { fp32: 'float32', q8: 'int8' };
const pauses = [0.5, 3, 6, 10];

/** @param {string} name */
function find(name) {
  const path = findRealModel(name);
  if (path === undefined) throw new Error(`${name} is missing: node test/real/prepare.js`);
  return path;
}

/** Recordings by turns, each time with another pause behind it. @param {number} seconds */
async function joinRecordings(seconds) {
  const recordings = await Promise.all([
    readRecording(fileURLToPath(new URL('../test/real/golden/jfk.wav', import.meta.url))),
    ...['two_cities', 'endgame_nagg_nell', 'beckett'].map((name) =>
      readRecording(find(`recordings/${name}.wav`)),
    ),
  ]);
  const samples = new Float32Array(seconds * sampleRateHz);
  for (let turn = 0, at = 0; at < samples.length; turn++) {
    const round = Math.floor(turn / recordings.length);
    const spoken = recordings[(turn + round) % recordings.length]?.subarray(0, samples.length - at) ?? [];
    samples.set(spoken, at);
    at += spoken.length + (pauses[(turn + 2 * round) % pauses.length] ?? 0) * sampleRateHz;
  }
  return samples;
}

/** @param {readonly number[]} ratios */
const range = (ratios) =>
  `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`;

// As in the worker process of a service, whose memory settings are read when a process starts.
if (process.env['GLIBC_TUNABLES'] === undefined) {
  const env = { ...process.env, GLIBC_TUNABLES: memorySettings };
  const args = [...process.execArgv, ...process.argv.slice(1)];
  process.exit(spawnSync(process.execPath, args, { stdio: 'inherit', env }).status ?? 1);
}
computeInThisThread();
const samples = await joinRecordings(Number(values.seconds));
const scratch = await mkdtemp(join(tmpdir(), 'slashv1-faster-whisper-'));
const path = join(scratch, 'speech.f32');
await writeFile(path, samples);
const audio = toWav(samples);
console.log(
  `${machine()}, ${values.seconds} s of speech with pauses, ${rounds} rounds; ratios: median (range)`,
);
for (const model of values.models.split(',')) {
  for (const type of values.types.split(',')) {
    for (const threads of values.threads.split(',')) {
      const source = find(`whisper-${model}`);
      const own = await loadPipeline({
        id: model,
        category: 'transcription',
        source,
        dtype: /** @type {'fp32' | 'q8'} */ (type),
        threads: Number(threads),
      });
      const peer = await startPeer(python, 'transcription-faster-whisper.py', [
        find(`whisper-${model}-ct2`),
        theirTypes[type] ?? type,
        threads,
      ]);
      const request = completeTranscriptionRequest({ model, audio, language: 'en' });
      /** @type {{ wall: number, cpu: number, theirWall: number, theirCpu: number }[]} */
      const results = [];
      for (let round = 0; round < Number(rounds); round++) {
        const used = cpuTimer();
        const began = performance.now();
        const { text } = await collectTranscription(own.run(request));
        const [wall, cpu] = [performance.now() - began, used()];
        const theirs = await peer.transcribe(path);
        results.push({ wall, cpu, theirWall: theirs.milliseconds, theirCpu: theirs.cpuMilliseconds });
        console.log(
          `${text.split(/\s+/u).length} words, faster-whisper ${theirs.text?.split(/\s+/u).length}`,
        );
      }
      const seconds = (/** @type {number[]} */ all) => (median(all) / 1000).toFixed(1);
      console.log(
        `${model} ${type}, threads: ${threads}; wall ${seconds(results.map(({ wall }) => wall))} s, ${range(results.map(({ wall, theirWall }) => wall / theirWall))};`,
        `processor ${seconds(results.map(({ cpu }) => cpu))} s, ${range(results.map(({ cpu, theirCpu }) => cpu / theirCpu))} of ${peer.versions}`,
      );
      peer.close();
      await own.close();
    }
  }
}
await rm(scratch, { recursive: true });
