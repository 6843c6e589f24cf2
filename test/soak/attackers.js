import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { crc32, deflateSync } from 'node:zlib';
import { WebSocket } from 'ws';
import { recordingForm, send, sendHalf } from './client.js';

/** @typedef {import('./client.js').Outcome} Outcome */
/** @typedef {(url: (path: string) => string, key: string, turn: number) => Promise<Outcome[]>} Attack sends what goes together */

const chat = 'chat/completions';
const messages = [{ role: 'user', content: 'Hello!' }];
/** 16-bit samples of 16 s at 24 kHz, as an append. @param {(index: number) => number} sample */
const appendOf = (sample) => {
  const bytes = Buffer.from(Int16Array.from({ length: 380_000 }, (_, index) => sample(index)).buffer);
  return JSON.stringify({ type: 'input_audio_buffer.append', audio: bytes.toString('base64') });
};
const silence = appendOf(() => 0);
const bursts = appendOf((index) => (index % 9600 < 4800 ? 9000 * Math.sin(index / 4) : 0));

/** @param {string} url @param {string} key @returns {Promise<WebSocket>} */
function openSocket(url, key) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}?intent=transcription`, {
    headers: { authorization: `Bearer ${key}` },
  });
  socket.on('message', () => undefined);
  return new Promise((resolve, reject) => socket.on('open', () => resolve(socket)).on('error', reject));
}

/** @param {number} count @param {() => Promise<Outcome>} one @returns {Promise<Outcome[]>} */
const together = (count, one) => Promise.all(Array.from({ length: count }, one));

/**
 * All attackers by name; each has a key of its own.
 *
 * @returns {Promise<Record<string, Attack>>}
 */
export async function createAttackers() {
  const recording = await readFile(new URL('../e2e/media/speech.wav', import.meta.url));
  const minutes = repeated(recording, 40);
  const bombs = [
    png(33_554_432, 2, { depth: 16, colour: 6 }),
    png(60_000_000, 1, { depth: 8, colour: 2 }),
    png(1_048_576, 64, { depth: 8, colour: 6 }),
    png(8000, 8000, { depth: 16, colour: 6 }),
  ].map((bytes) => bytes.toString('base64'));
  const damaged = damagedMedia(recording);
  const hugeBias = `{"model":"tiny-chat","messages":${JSON.stringify(messages)},"logit_bias":{${Array.from({ length: 1_000_000 }, (_, token) => `"${token}":1`).join(',')}}}`;
  const manyMessages = `{"model":"tiny-chat","messages":[${'{"role":"user","content":"hi"},'.repeat(15_999)}{"role":"user","content":"hi"}]}`;
  const nested = `${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`;
  const longText =
    'The red circle is above the blue square, and the green star is to the left of it. '.repeat(390);
  const formStart = (/** @type {number} */ bytes) =>
    Buffer.concat([
      Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nRIFF'),
      Buffer.alloc(bytes),
    ]);
  const halfForm = formStart(100_000);
  const halfJson = Buffer.from(
    `{"model":"tiny-chat","messages":[{"role":"user","content":"${'x'.repeat(1_000_000)}`,
  );

  const arrays = `[${'[],'.repeat(5_000_000)}[]]`;
  const callOf = (/** @type {string} */ text) => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: text } }],
  });
  const argumentsAsText = JSON.stringify({ model: 'tiny-chat', messages: [...messages, callOf(arrays)] });
  const schemaAsText = JSON.stringify({ model: 'tiny-chat', messages, json_schema: arrays });
  const counted = `{"model":"tiny-chat","messages":[${'{"role":"user","content":"hi"},'.repeat(14_999)}{"role":"user","content":"hi"}]}`;

  return {
    'counts of 15,000 messages': (url, key) =>
      together(4, () => send(url('messages/count_tokens'), key, counted, { leaveAfterMs: 20_000 })),
    'schemas as text': (url, key) => together(4, () => send(url(chat), key, schemaAsText)),
    'arguments as text': (url, key) => together(4, () => send(url(chat), key, argumentsAsText)),
    'sockets that hold and burst': async (url, key, turn) => {
      const sockets = await Promise.all([0, 1, 2, 3].map(() => openSocket(url('realtime'), key)));
      for (const socket of sockets) {
        if (turn % 2 === 0)
          for (let count = 0; count < 20; count++) socket.send(turn % 4 === 0 ? silence : bursts);
        else for (let count = 0; count < 4; count++) socket.send('['.repeat(500_000));
        socket.send('{"type":"input_audio_buffer.clear"}');
      }
      await delay(3000);
      for (const socket of sockets) socket.terminate();
      return sockets.map(() => 'left');
    },
    'picture bombs': async (url, key, turn) => {
      const image = bombs[turn % bombs.length];
      const content = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${image}` } }];
      return [
        await send(url('detect'), key, { model: 'tiny-detect', image }),
        await send(url(chat), key, { model: 'tiny-chat', messages: [{ role: 'user', content }] }),
      ];
    },
    'deadlines for refunds': (url, key) =>
      together(2, () =>
        send(
          url(chat),
          key,
          { model: 'tiny-chat', messages, max_tokens: 400, stream: true },
          { headers: { 'x-request-timeout': '0.6' } },
        ),
      ),
    'guesses at prompts': async (url, key, turn) => {
      const guess = [
        { role: 'system', content: 'You describe scenes.' },
        { role: 'user', content: `Describe a scene with ${turn % 10}` },
      ];
      return [await send(url(chat), key, { model: 'tiny-chat', messages: guess, max_tokens: 1 })];
    },
    '4 long texts': (url, key) =>
      together(4, () =>
        send(
          url('audio/speech'),
          key,
          { model: 'tiny-speech', input: longText, voice: 'af_heart' },
          { leaveAfterMs: 20_000 },
        ),
      ),
    '8 recordings': (url, key) =>
      together(8, () =>
        send(url('audio/transcriptions'), key, recordingForm(minutes), { leaveAfterMs: 20_000 }),
      ),
    'n: 5': (url, key) =>
      together(10, () =>
        send(
          url(chat),
          key,
          { model: 'tiny-chat', messages, n: 5, max_tokens: 200 },
          { leaveAfterMs: 20_000 },
        ),
      ),
    '50 steps': (url, key) =>
      together(3, () =>
        send(
          url('images/generations'),
          key,
          { model: 'tiny-image', prompt: 'a star', size: '512x512', num_inference_steps: 50 },
          { leaveAfterMs: 20_000 },
        ),
      ),
    'half-sent uploads': (url, key) =>
      together(40, () =>
        sendHalf(url('audio/transcriptions'), key, {
          type: 'multipart/form-data; boundary=b',
          length: 8_000_000,
          start: halfForm,
          holdMs: 30_000,
        }),
      ),
    'half-sent JSON': (url, key) =>
      together(40, () =>
        sendHalf(url(chat), key, {
          type: 'application/json',
          length: 16_000_000,
          start: halfJson,
          holdMs: 30_000,
        }),
      ),
    'large JSON': async (url, key) => [
      await send(url(chat), key, hugeBias),
      await send(url(chat), key, manyMessages),
    ],
    'nested arguments': async (url, key) => {
      const tool_calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: nested } }];
      const called = [
        ...messages,
        { role: 'assistant', content: null, tool_calls },
        { role: 'tool', tool_call_id: 'c', content: 'done' },
      ];
      return [await send(url(chat), key, { model: 'tiny-chat', messages: called, max_tokens: 5 })];
    },
    'uploads on a spent quota': (url, key) =>
      together(4, () => send(url('audio/transcriptions'), key, recordingForm(minutes))),
    'damaged media': async (url, key, turn) => [
      await send(url('audio/transcriptions'), key, recordingForm(damaged[turn % damaged.length] ?? minutes), {
        leaveAfterMs: 20_000,
      }),
    ],
    'streams left': (url, key) =>
      together(6, () =>
        send(
          url(chat),
          key,
          { model: 'tiny-chat', messages, max_tokens: 300, stream: true },
          { leavesAtOnce: true },
        ),
      ),
  };
}

/**
 * A PNG whose head promises more than its data holds.
 *
 * @param {number} width
 * @param {number} height
 * @param {{ depth: number, colour: number }} format
 */
function png(width, height, { depth, colour }) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([depth, colour], 8);
  /** @param {string} name @param {Buffer} data */
  const chunk = (name, data) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const size = Buffer.alloc(4);
    size.writeUInt32BE(data.length);
    const check = Buffer.alloc(4);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([size, body, check]);
  };
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = chunk('IDAT', deflateSync(Buffer.alloc(1000)));
  return Buffer.concat([signature, chunk('IHDR', head), data, chunk('IEND', Buffer.alloc(0))]);
}

/**
 * A WAV with the samples of another several times.
 *
 * @param {Buffer} wav with a head of 44 bytes
 * @param {number} times
 */
function repeated(wav, times) {
  const samples = Buffer.concat(Array.from({ length: times }, () => wav.subarray(44)));
  const head = Buffer.from(wav.subarray(0, 44));
  head.writeUInt32LE(36 + samples.length, 4);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

/** @param {Buffer} wav */
function damagedMedia(wav) {
  /** @param {number} at @param {number} value */
  const withNumber = (at, value) => {
    const copy = Buffer.from(wav);
    copy.writeUInt32LE(value, at);
    return copy;
  };
  return [
    withNumber(4, 0xffff_ffff),
    withNumber(16, 0xffff_fff0),
    withNumber(24, 0xffff_ffff),
    withNumber(24, 0),
    withNumber(40, 0xffff_ffff),
    wav.subarray(0, 50),
    Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(5000, 0xff)]),
    Buffer.concat([Buffer.from('RIFF'), Buffer.alloc(5000)]),
    Buffer.concat([Buffer.from('OggS'), Buffer.alloc(5000, 1)]),
    Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(5000, 0x7f)]),
    Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(5000, 0xff)]),
  ];
}
