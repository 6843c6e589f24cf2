// A conversation with a voice agent in real time, over WebSockets: from the end of speech to the first byte of the answer's audio,
// how soon an interruption is silence, the words heard, and memory over the turns. With Whisper tiny.en, SmolLM2 and Piper where
// `npm run test:real` has made them, else with the bundled models. The silence that ends a turn (silence_duration_ms) is part of it.
// Usage: npm run build && node benchmarks/voice.js [--sessions 1] [--turns 20] [--hears whisper-tiny-en] [--dtype q4]
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { chat, createInference, speech, transcription, voice } from 'slashv1';
import { resample } from 'slashv1/audio';
import { WebSocket } from 'ws';
import { renderTable } from '../dist/src/cli/table.js';
import { serveLive } from './live-server.js';
import { machine, percentile } from './measure.js';
import { findRealModel } from './real-models.js';

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '1' },
    turns: { type: 'string', default: '20' },
    hears: { type: 'string', default: 'whisper-tiny-en' },
    dtype: { type: 'string', default: 'auto' },
  },
});
const rateHz = 24_000;
const pieceMs = 40;
const silenceMs = 500;

const ears = findRealModel(values.hears);
const mind = findRealModel('smollm2-q4');
const mouth = findRealModel('piper');
const isReal = ears !== undefined && mind !== undefined && mouth !== undefined;
const questions = isReal
  ? [
      'What is the capital of France?',
      'Tell me about the weather in winter.',
      'How do I cook rice?',
      'What is a good name for a dog?',
    ]
  : [
      'What is two plus three?',
      'What is the weather in Paris?',
      'What is one plus one?',
      'What is the weather in London?',
    ];

const dtype = /** @type {import('slashv1').Dtype} */ (values.dtype);
const inference = createInference({
  models: {
    ears: transcription({ source: ears ?? 'tiny-whisper', dtype }),
    mind: chat({ source: mind ?? 'tiny-chat' }),
    mouth: speech({ source: mouth ?? 'tiny-speech' }),
    agent: voice({
      hears: 'ears',
      thinks: 'mind',
      speaks: 'mouth',
      instructions: 'Answer in two short sentences.',
    }),
  },
});
const { port, server } = await serveLive(inference);

/** Somebody who says it, as 16-bit samples at 24 kHz, without silence at its end. @param {string} input */
async function say(input) {
  /** @type {Uint8Array[]} */
  const parts = [];
  let fromHz = rateHz;
  for await (const event of inference.speak({ model: 'mouth', input, format: 'pcm' })) {
    if (event.type === 'speech-start') fromHz = event.sampleRateHz;
    if (event.type === 'audio') parts.push(event.bytes);
  }
  const bytes = Buffer.concat(parts);
  const samples = Float32Array.from(
    { length: bytes.length / 2 },
    (_, at) => bytes.readInt16LE(2 * at) / 2 ** 15,
  );
  const resampled = resample(samples, { fromHz, toHz: rateHz });
  const end = resampled.findLastIndex((sample) => Math.abs(sample) > 0.02);
  return Buffer.from(Int16Array.from(resampled.subarray(0, end), (sample) => 32_767 * sample).buffer);
}
const recordings = await Promise.all(questions.map(say));
const pieceBytes = (2 * rateHz * pieceMs) / 1000;
const quiet = Buffer.alloc(pieceBytes);

/** @type {number[]} */
const firstAudio = [];
/** @type {number[]} */
const interrupted = [];
let words = 0;
let heard = 0;
const wordsOf = (/** @type {string} */ text) => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

/** One client, in real time. @param {number} turns */
async function converse(turns) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/realtime?model=agent`);
  /** @type {any[]} */
  const events = [];
  socket.on('message', (data) => events.push({ ...JSON.parse(String(data)), at: performance.now() }));
  await new Promise((open) => socket.on('open', open));
  const send = (/** @type {object} */ event) => socket.send(JSON.stringify(event));
  const turnDetection = { type: 'server_vad', silence_duration_ms: silenceMs };
  send({
    type: 'session.update',
    session: {
      type: 'realtime',
      max_output_tokens: 60,
      audio: { input: { transcription: {}, turn_detection: turnDetection } },
    },
  });
  let clock = performance.now();
  const stream = async (/** @type {Buffer} */ audio) => {
    for (let at = 0; at < audio.length; at += pieceBytes) {
      send({
        type: 'input_audio_buffer.append',
        audio: audio.subarray(at, at + pieceBytes).toString('base64'),
      });
      clock += pieceMs;
      await sleep(Math.max(0, clock - performance.now()));
    }
  };
  /** Silence until there is such an event. @param {string} type @param {number} from @param {number} [seconds] */
  const until = async (type, from, seconds = 60) => {
    clock = Math.max(clock, performance.now());
    const end = performance.now() + seconds * 1000;
    for (;;) {
      const found = events.slice(from).find((event) => event.type === type);
      if (found || performance.now() > end) return found;
      await stream(quiet);
    }
  };
  for (let turn = 0; turn < turns; turn++) {
    const index = turn % questions.length;
    const from = events.length;
    await stream(/** @type {Buffer} */ (recordings[index]));
    const spokenAt = performance.now();
    const transcript = await until('conversation.item.input_audio_transcription.completed', from);
    const asked = wordsOf(/** @type {string} */ (questions[index]));
    const found = new Set(wordsOf(transcript?.transcript ?? ''));
    words += asked.length;
    heard += asked.filter((word) => found.has(word)).length;
    const audio = await until('response.output_audio.delta', from);
    if (audio) firstAudio.push(audio.at - spokenAt);
    if (turn % 4 === 3) {
      // An interruption: one word over the answer, at once.
      const before = events.length;
      const isOver = events.slice(from).some(({ type }) => type === 'response.done');
      const spoken = performance.now();
      await stream(/** @type {Buffer} */ (recordings[0]).subarray(0, 12 * pieceBytes));
      const done = events.slice(before).find(({ type }) => type === 'response.done');
      if (!isOver && done?.response.status === 'cancelled') interrupted.push(done.at - spoken);
      await until('response.done', events.length, 20);
    } else await until('response.done', from);
    await stream(Buffer.alloc(4 * pieceBytes));
  }
  socket.close();
}

console.log(isReal ? `Whisper ${values.hears}, SmolLM2 q4, Piper` : 'bundled models', machine());
const rows = [];
for (const sessions of values.sessions.split(',').map(Number)) {
  firstAudio.length = interrupted.length = words = heard = 0;
  const before = process.memoryUsage().rss;
  await Promise.all(Array.from({ length: sessions }, () => converse(Number(values.turns))));
  const after = process.memoryUsage().rss;
  const ms = (/** @type {number[]} */ times, /** @type {number} */ share) =>
    percentile(times, share).toFixed(0);
  rows.push([
    `${sessions}`,
    `${firstAudio.length}`,
    ms(firstAudio, 0.5),
    ms(firstAudio, 0.9),
    `${interrupted.length}`,
    ms(interrupted, 0.5),
    ms(interrupted, 0.9),
    `${((100 * heard) / words).toFixed(0)} %`,
    `${(before / 2 ** 20).toFixed(0)} → ${(after / 2 ** 20).toFixed(0)}`,
  ]);
}
const titles = [
  'sessions',
  'answers',
  'first audio p50 ms',
  'p90',
  'interruptions',
  'silence p50 ms',
  'p90',
  'words heard',
  'host MiB',
];
console.log(
  renderTable(
    titles.map((title, index) => (index === 0 ? title : { right: title })),
    rows,
    (text) => text,
  ),
);
server.close();
await inference.close();
