// What Parakeet costs beside Python's onnx-asr on the same graphs, two threads each: by CTC and by TDT, of short and of long speech.
// Usage: node benchmarks/transcription-onnx-asr.js [rounds] [python with onnx-asr] [folder of models/parakeet.py]
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadPipeline } from '../dist/src/loading/load-pipeline.js';
import { completeTranscriptionRequest } from '../dist/src/categories/transcription/request.js';
import { collectTranscription } from '../dist/src/categories/transcription/result.js';
import { compare, cpuTimer, machine, median, printRatios } from './measure.js';
import { startPeer } from './python-peer.js';
import { readRecording, sampleRateHz, toWav } from './recordings.js';

const rounds = Number(process.argv[2] ?? 5);
const python = process.argv[3] ?? 'python3';
const folder = process.argv[4] ?? fileURLToPath(new URL('models/cache', import.meta.url));
const threads = 2;

const spoken = await readRecording(fileURLToPath(new URL('../test/real/golden/jfk.wav', import.meta.url)));
const lengths = [3, 11, 22];

/** The recording, repeated or cut. @param {number} seconds */
const speechOf = (seconds) =>
  Float32Array.from({ length: seconds * sampleRateHz }, (_, at) => spoken[at % spoken.length] ?? 0);

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
  const peer = await startPeer(python, 'transcription-onnx-asr.py', [source]);
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
