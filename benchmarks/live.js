// How long after the end of speech its text is there: clients that speak at once, in real time, over WebSockets. The time that the
// end of a turn takes to be noticed (silence_duration_ms) is part of it. With Whisper base and a recording, where
// `npm run test:real` has made them, else with tiny-whisper and words of its world.
// Usage: node benchmarks/live.js [clients, default 10] [folder of a model] [16-bit mono WAV file] [repeats, default 5]
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createInference, transcription } from 'slashv1';
import { resample } from 'slashv1/audio';
import { default as wavefile } from 'wavefile';
import { WebSocket } from 'ws';
import { serveLive } from './live-server.js';
import { machine } from './measure.js';
import { findRealModel } from './real-models.js';

const clients = Number(process.argv[2] ?? 10);
const source = resolve(
  process.argv[3] ??
    findRealModel('whisper-base') ??
    fileURLToPath(new URL('../examples/models/tiny-whisper', import.meta.url)),
);
const isTiny = basename(source) === 'tiny-whisper';
const words = new URL('../test/categories/transcription/pipeline/golden/speech/circle.wav', import.meta.url);
const recording =
  process.argv[4] || (isTiny ? '' : findRealModel('recordings/two_cities.wav')) || fileURLToPath(words);
const repeats = Number(process.argv[5] ?? 5);
const silenceMs = 500;
const rateHz = 24_000;
const pieceMs = 40;

const file = new wavefile.WaveFile(readFileSync(recording));
const fromHz = /** @type {{ sampleRate: number }} */ (file.fmt).sampleRate;
file.toBitDepth('32f');
const speech = resample(Float32Array.from(/** @type {Float64Array} */ (file.getSamples(true))), {
  fromHz,
  toHz: rateHz,
});
const bytesOf = (/** @type {Float32Array} */ samples) =>
  Buffer.from(Int16Array.from(samples, (sample) => 32_767 * Math.max(-1, Math.min(1, sample))).buffer);
const silence = Buffer.alloc((2 * rateHz * (silenceMs + 1000)) / 1000);
const audio = Buffer.concat([
  silence,
  ...Array.from({ length: repeats }, () => [bytesOf(speech), silence]).flat(),
]);

const inference = createInference({ models: { ears: transcription({ source }) } });
const { port, server } = await serveLive(inference);

/** Milliseconds from the end of speech to the final text, of each utterance. @param {number} index */
async function speak(index) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/realtime?intent=transcription`);
  /** @type {Map<string, number>} */
  const ends = new Map();
  /** @type {number[]} */
  const times = [];
  let text = '';
  let began = 0;
  /** @type {object[]} */
  const failures = [];
  socket.on('message', (data) => {
    const event = JSON.parse(String(data));
    if (event.type === 'input_audio_buffer.speech_stopped')
      ends.set(event.item_id, event.audio_end_ms - silenceMs);
    else if (event.type.endsWith('.completed')) {
      times.push(performance.now() - began - Number(ends.get(event.item_id)));
      text ||= event.transcript;
    } else if (event.type === 'error' || event.type.endsWith('.failed')) failures.push(event);
  });
  await new Promise((done) => socket.once('open', done));
  // No two clients speak at the same time.
  await sleep((index * 997) % 1500);
  began = performance.now();
  const size = (2 * rateHz * pieceMs) / 1000;
  for (let at = 0; at < audio.length && failures.length === 0; at += size) {
    // A microphone has a piece when it is over.
    await sleep(Math.max(0, began + (at / size + 1) * pieceMs - performance.now()));
    const piece = audio.subarray(at, at + size).toString('base64');
    socket.send(JSON.stringify({ type: 'input_audio_buffer.append', audio: piece }));
  }
  while (times.length < ends.size && failures.length === 0) await sleep(20);
  socket.close();
  if (failures.length > 0) throw new Error(JSON.stringify(failures[0]));
  return { times, text };
}

const results = await Promise.all(Array.from({ length: clients }, (_, index) => speak(index)));
const times = results.flatMap((result) => result.times).toSorted((a, b) => a - b);
/** @param {number} share */
const quantile = (share) =>
  Math.round(times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? NaN);
console.log(machine());
console.log(
  `${basename(source)}, ${clients} clients, ${times.length} utterances, the first: "${results[0]?.text}"`,
);
console.log(`from the end of speech to its text, ${silenceMs} ms of silence included:`);
console.log(`p50 ${quantile(0.5)} ms, p90 ${quantile(0.9)} ms, longest ${quantile(1)} ms`);
server.close();
await inference.close();
