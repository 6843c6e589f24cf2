// What a minute of speech costs, against the speech recognition of transformers.js on the same files: with Whisper base and a
// recording, where `npm run test:real` has made them, else with tiny-whisper and words of its world.
// Processor time, one thread. Usage: node benchmarks/transcription.js [rounds] [folder of a model]
import { basename, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadPipeline } from '../dist/src/loading/load-pipeline.js';
import { completeTranscriptionRequest } from '../dist/src/categories/transcription/request.js';
import { collectTranscription } from '../dist/src/categories/transcription/result.js';
import { compare, cpuTimer, machine, printRatios } from './measure.js';
import { findRealModel } from './real-models.js';
import { readRecording, sampleRateHz, toWav } from './recordings.js';

const rounds = Number(process.argv[2] ?? 5);
const tiny = fileURLToPath(new URL('../examples/models/tiny-whisper', import.meta.url));
const source = resolve(process.argv[3] ?? findRealModel('whisper-base') ?? tiny);
const name = basename(source);
const recording = name === 'tiny-whisper' ? undefined : findRealModel('recordings/two_cities.wav');
const seconds = 60;
const pauseSeconds = 0.6;

const speech = new Float32Array(seconds * sampleRateHz);
const names = ['circle', 'triangles', 'star'];
for (let at = 0, index = 0; at < speech.length; index++) {
  const file = `../test/categories/transcription/pipeline/golden/speech/${names[index % names.length]}.wav`;
  const path = recording ?? fileURLToPath(new URL(file, import.meta.url));
  const spoken = (await readRecording(path)).subarray(0, speech.length - at);
  speech.set(spoken, at);
  at += spoken.length;
  at += pauseSeconds * sampleRateHz;
}

const own = await loadPipeline({ id: name, category: 'transcription', source, threads: 1 });
const { env, pipeline: createReference } = await import('@huggingface/transformers');
env.localModelPath = dirname(source);
env.allowRemoteModels = false;
const reference = await createReference('automatic-speech-recognition', name, {
  dtype: 'fp32',
  session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 },
});

const audio = toWav(speech);

/** @param {boolean} wordTimestamps */
const transcribe = (wordTimestamps) =>
  collectTranscription(
    own.run(completeTranscriptionRequest({ model: name, audio, wordTimestamps, language: 'en' })),
  );
const transcribeByReference = () =>
  reference(speech, {
    chunk_length_s: name === 'tiny-whisper' ? 10 : 30,
    return_timestamps: true,
    language: 'en',
  });

/** @param {() => Promise<unknown>} work */
async function cpuOf(work) {
  const used = cpuTimer();
  await work();
  return used();
}

console.log(`${name}, ${machine()}`);
const [text, referenceText] = [(await transcribe(false)).text, (await transcribeByReference()).text];
console.log('slashv1:        ', text.slice(0, 160));
console.log('transformers.js:', referenceText.trim().slice(0, 160));
const results = await compare(
  {
    slashv1: () => cpuOf(() => transcribe(false)),
    'slashv1, with words': () => cpuOf(() => transcribe(true)),
    'transformers.js': () => cpuOf(transcribeByReference),
  },
  rounds,
);
printRatios(`${seconds} s of speech`, results, { unit: 'CPU ms', baseline: 'slashv1', digits: 0 });
const cost = results['slashv1'] ?? Number.NaN;
console.log(
  `real-time factor ${(cost / 1000 / seconds).toFixed(4)}: ${Math.round((1000 * seconds) / cost)} × as fast as the speech`,
);
await own.close();
