// What Parakeet costs beside Python's onnx-asr on the same graphs, two threads each: by CTC and by TDT, of short and of long speech.
// Usage: node benchmarks/transcription-onnx-asr.js [rounds] [python with onnx-asr] [folder of models/parakeet.py]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { default as wavefile } from 'wavefile';
import { loadPipeline } from '../dist/src/loading/load-pipeline.js';
import { completeTranscriptionRequest } from '../dist/src/categories/transcription/request.js';
import { collectTranscription } from '../dist/src/categories/transcription/result.js';
import { openAudio } from '../dist/src/runtime/audio/open-audio.js';
import { compare, cpuTimer, machine, median, printRatios } from './measure.js';

const rounds = Number(process.argv[2] ?? 5);
const python = process.argv[3] ?? 'python3';
const folder = process.argv[4] ?? fileURLToPath(new URL('models/cache', import.meta.url));
const threads = 2;
const sampleRateHz = 16_000;

const recording = fileURLToPath(new URL('../test/real/golden/jfk.wav', import.meta.url));
const { blocks } = await openAudio({ path: recording }, { maxSeconds: 60 });
/** @type {Float32Array[]} */
const parts = [];
for await (const block of blocks) parts.push(block);
const spoken = Float32Array.from(parts.flatMap((part) => [...part]));
const lengths = [3, 11, 22];

/** The recording, repeated or cut. @param {number} seconds */
const speechOf = (seconds) =>
  Float32Array.from({ length: seconds * sampleRateHz }, (_, at) => spoken[at % spoken.length] ?? 0);

/** @param {Float32Array} samples */
function toWav(samples) {
  const file = new wavefile.WaveFile();
  file.fromScratch(1, sampleRateHz, '32f', samples);
  return file.toBuffer();
}

/** A process of Python with a model. @param {string} source */
async function startPeer(source) {
  const script = fileURLToPath(new URL('transcription-onnx-asr.py', import.meta.url));
  const child = spawn(python, [script, source], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout);
  const [hello] = await once(lines, 'line');
  return {
    versions: JSON.parse(hello).versions,
    /** @param {string} path @returns {Promise<{ milliseconds: number, cpuMilliseconds: number, tokens: number }>} */
    async transcribe(path) {
      const answer = once(lines, 'line');
      child.stdin.write(`${path}\n`);
      const [line] = await answer;
      return JSON.parse(line);
    },
    close: () => child.stdin.end(),
  };
}

const scratch = await mkdtemp(join(tmpdir(), 'slashv1-onnx-asr-'));
console.log(`${machine()}, ${threads} threads`);
for (const name of ['parakeet-ctc', 'parakeet-tdt']) {
  const source = join(folder, name);
  const own = await loadPipeline({
    id: name,
    category: 'transcription',
    source,
    threads,
    voiceActivity: 'none',
  });
  const peer = await startPeer(source);
  for (const seconds of lengths) {
    const samples = speechOf(seconds);
    const path = join(scratch, `${seconds}.f32`);
    await writeFile(path, samples);
    const request = completeTranscriptionRequest({ model: name, audio: toWav(samples) });
    /** @type {Record<'slashv1' | 'onnx-asr', number[]>} */
    const cpu = { slashv1: [], 'onnx-asr': [] };
    const { segments } = await collectTranscription(own.run(request));
    const tokens = segments.reduce((sum, segment) => sum + segment.tokens.length, 0);
    const theirs = await peer.transcribe(path);
    const results = await compare(
      {
        async slashv1() {
          const used = cpuTimer();
          const began = performance.now();
          await collectTranscription(own.run(request));
          cpu.slashv1.push(used());
          return performance.now() - began;
        },
        async 'onnx-asr'() {
          const { milliseconds, cpuMilliseconds } = await peer.transcribe(path);
          cpu['onnx-asr'].push(cpuMilliseconds);
          return milliseconds;
        },
      },
      rounds,
    );
    const title = `${name}, ${seconds} s of speech, ${tokens} tokens (onnx-asr: ${theirs.tokens})`;
    const options = { baseline: 'onnx-asr', digits: 1 };
    printRatios(title, results, { ...options, unit: 'ms' });
    printRatios(
      'of processor time',
      { slashv1: median(cpu.slashv1), 'onnx-asr': median(cpu['onnx-asr']) },
      { ...options, unit: 'CPU ms' },
    );
  }
  peer.close();
  await own.close();
}
await rm(scratch, { recursive: true });
