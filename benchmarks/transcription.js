// What a minute of speech costs with tiny-whisper, against the speech recognition of transformers.js on the same files.
// Processor time, one thread. Usage: node benchmarks/transcription.js [rounds] [folder of models]
import { fileURLToPath } from 'node:url';
import { loadPipeline } from '../dist/src/load-pipeline.js';
import { completeTranscriptionRequest } from '../dist/src/categories/transcription/request.js';
import { collectTranscription } from '../dist/src/categories/transcription/result.js';
import { openAudio } from '../dist/src/runtime/audio/open-audio.js';
import { compare, cpuTimer, machine, printRatios } from './measure.js';

const rounds = Number(process.argv[2] ?? 5);
const models = process.argv[3] ?? fileURLToPath(new URL('../examples/models/', import.meta.url));
const sampleRateHz = 16_000;
const seconds = 60;
const pauseSeconds = 0.6;

const speech = new Float32Array(seconds * sampleRateHz);
const names = ['circle', 'triangles', 'star'];
for (let at = 0, index = 0; at < speech.length; index++) {
  const file = `../test/categories/transcription/pipeline/golden/speech/${names[index % names.length]}.wav`;
  const audio = await openAudio({ path: fileURLToPath(new URL(file, import.meta.url)) }, { maxSeconds: 60 });
  for await (const block of audio.blocks) {
    speech.set(block.subarray(0, speech.length - at), at);
    at = Math.min(speech.length, at + block.length);
  }
  at += pauseSeconds * sampleRateHz;
}

const source = `${models}/tiny-whisper`;
const own = await loadPipeline({ id: 'tiny-whisper', category: 'transcription', source, threads: 1 });
const { env, pipeline: createReference } = await import('@huggingface/transformers');
env.localModelPath = models;
env.allowRemoteModels = false;
const reference = await createReference('automatic-speech-recognition', 'tiny-whisper', {
  dtype: 'fp32',
  session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 },
});

/** A WAV file of floats. */
function toWav() {
  const file = Buffer.alloc(44 + 4 * speech.length);
  file.write('RIFF    WAVEfmt ');
  file.writeUInt32LE(36 + 4 * speech.length, 4);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(3, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(sampleRateHz, 24);
  file.writeUInt32LE(4 * sampleRateHz, 28);
  file.writeUInt16LE(4, 32);
  file.writeUInt16LE(32, 34);
  file.write('data', 36);
  file.writeUInt32LE(4 * speech.length, 40);
  Buffer.from(speech.buffer).copy(file, 44);
  return file;
}

const audio = toWav();

/** @param {boolean} wordTimestamps */
const transcribe = (wordTimestamps) =>
  collectTranscription(
    own.run(completeTranscriptionRequest({ model: 'tiny-whisper', audio, wordTimestamps, language: 'en' })),
  );
const transcribeByReference = () =>
  reference(speech, { chunk_length_s: 10, return_timestamps: true, language: 'en' });

/** @param {() => Promise<unknown>} work */
async function cpuOf(work) {
  const used = cpuTimer();
  await work();
  return used();
}

console.log(machine());
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
