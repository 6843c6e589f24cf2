// A conversation with a voice agent in real time, over WebSockets. All times count from the end of speech: the end of the turn
// (after silence_duration_ms), its transcript, the first text of the answer and its first audio, and how soon an interruption is
// silence. Also the words heard, the runs that began before the turn was over and were dropped, and memory. With Whisper tiny.en,
// SmolLM2 and Piper where `npm run test:real` has made them, else with the bundled models.
// Usage: npm run build && node benchmarks/voice.js [--sessions 1,4] [--turns 20] [--hears whisper-tiny-en] [--dtype q4]
//   [--threads N] [--eagerness low|medium|high] [--pause MS: a silence within each question, after which early work is dropped]
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { chat, createInference, speech, transcription, voice } from 'slashv1';
import { resample } from 'slashv1/audio';
import { WebSocket } from 'ws';
import { renderTable } from '../dist/src/cli/format.js';
import { serveLive } from './live-server.js';
import { machine, percentile } from './measure.js';
import { findRealModel } from './real-models.js';

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '1' },
    turns: { type: 'string', default: '20' },
    hears: { type: 'string', default: 'whisper-tiny-en' },
    dtype: { type: 'string', default: 'auto' },
    threads: { type: 'string' },
    eagerness: { type: 'string' },
    pause: { type: 'string', default: '0' },
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
const threads = values.threads === undefined ? {} : { threads: Number(values.threads) };
const eagerness = /** @type {'low' | 'medium' | 'high' | undefined} */ (values.eagerness);
const inference = createInference({
  models: {
    ears: transcription({ source: ears ?? 'tiny-whisper', dtype, ...threads }),
    mind: chat({ source: mind ?? 'tiny-chat', ...threads }),
    mouth: speech({ source: mouth ?? 'tiny-speech', ...threads }),
    agent: voice({
      hears: 'ears',
      thinks: 'mind',
      speaks: 'mouth',
      instructions: 'Answer in two short sentences.',
      ...(eagerness && { eagerness }),
    }),
  },
});
/** Runs of the models, and the tokens that the chat model wrote. */
const runs = { transcription: 0, chat: 0, speech: 0, tokens: 0 };
inference.observe({
  onRunStart({ category }) {
    runs[/** @type {'chat'} */ (category)] += 1;
  },
  onRunEnd({ category }, { usage }) {
    if (category === 'chat') runs.tokens += usage.outputTokens ?? 0;
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
  const spoken = resampled.subarray(0, end);
  const bytes16 = Buffer.from(Int16Array.from(spoken, (sample) => 32_767 * sample).buffer);
  const cut = 2 * quietestSample(spoken);
  const pause = Buffer.alloc(2 * Math.round((rateHz * Number(values.pause)) / 1000));
  return Buffer.concat([bytes16.subarray(0, cut), pause, bytes16.subarray(cut)]);
}
/** Begin of the quietest 20 ms in the middle half. @param {Float32Array} samples */
function quietestSample(samples) {
  const length = rateHz / 50;
  let [best, least] = [0, Infinity];
  for (let at = Math.round(samples.length / 4); at < (3 * samples.length) / 4; at += length / 4) {
    const power = samples.subarray(at, at + length).reduce((sum, sample) => sum + sample * sample, 0);
    if (power < least) [best, least] = [at, power];
  }
  return best;
}
const recordings = await Promise.all(questions.map(say));
const pieceBytes = (2 * rateHz * pieceMs) / 1000;
const quiet = Buffer.alloc(pieceBytes);

/** The stages of an answer, with the event that ends each. */
const stages = {
  'turn over': 'input_audio_buffer.speech_stopped',
  transcript: 'conversation.item.input_audio_transcription.completed',
  'first text': 'response.content_part.added',
  'first audio': 'response.output_audio.delta',
};
/** @type {Record<string, number[]>} */
let times = {};
/** @type {number[]} */
const interrupted = [];
/** Turns that were heard, answers, and the tokens of these. */
let used = { turns: 0, answers: 0, tokens: 0 };
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
    const transcript = await until(stages.transcript, from);
    const asked = wordsOf(/** @type {string} */ (questions[index]));
    const found = new Set(wordsOf(transcript?.transcript ?? ''));
    words += asked.length;
    heard += asked.filter((word) => found.has(word)).length;
    if (await until(stages['first audio'], from))
      for (const [stage, type] of Object.entries(stages)) {
        const end = events.slice(from).find((event) => event.type === type);
        if (end) (times[stage] ??= []).push(end.at - spokenAt);
      }
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
  for (const { type, response } of events) {
    used.turns += Number(type === 'input_audio_buffer.committed');
    used.answers += Number(type === 'response.done');
    used.tokens += type === 'response.done' ? response.usage.output_tokens : 0;
  }
}

console.log(isReal ? `Whisper ${values.hears}, SmolLM2 q4, Piper` : 'bundled models', machine());
const ms = (/** @type {number[] | undefined} */ list, /** @type {number} */ share) =>
  list?.length ? percentile(list, share).toFixed(0) : '–';
const rows = [];
for (const sessions of values.sessions.split(',').map(Number)) {
  times = {};
  interrupted.length = words = heard = 0;
  used = { turns: 0, answers: 0, tokens: 0 };
  Object.assign(runs, { transcription: 0, chat: 0, speech: 0, tokens: 0 });
  const before = process.memoryUsage().rss;
  await Promise.all(Array.from({ length: sessions }, () => converse(Number(values.turns))));
  const after = process.memoryUsage().rss;
  rows.push([
    `${sessions}`,
    `${times['first audio']?.length ?? 0}`,
    ...Object.keys(stages).map((stage) => `${ms(times[stage], 0.5)} / ${ms(times[stage], 0.9)}`),
    `${interrupted.length}: ${ms(interrupted, 0.5)} / ${ms(interrupted, 0.9)}`,
    `${((100 * heard) / words).toFixed(0)} %`,
    `${runs.transcription - used.turns} of ${runs.transcription}`,
    `${runs.chat - used.answers} of ${runs.chat}`,
    `${runs.tokens - used.tokens} of ${runs.tokens}`,
    `${(before / 2 ** 20).toFixed(0)} → ${(after / 2 ** 20).toFixed(0)}`,
  ]);
}
const titles = [
  'sessions',
  'answers',
  ...Object.keys(stages).map((stage) => `${stage}, p50 / p90 ms`),
  'interruptions',
  'words heard',
  'transcriptions dropped',
  'answers dropped',
  'tokens unused',
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
