/** Work of a caller at its worst, and a small request of another one, for each category. */

import sharp from 'sharp';
import { default as wavefile } from 'wavefile';

/**
 * @typedef {{ readonly count: number, readonly requests: readonly object[] }} Load so many requests at once
 * @typedef {{ readonly small: object, readonly loads: Readonly<Record<string, Load>> }} Hog
 * @typedef {import('../../dist/src/index.js').Inference} Inference
 * @typedef {import('../../dist/src/index.js').CallOptions} CallOptions
 */

const sampleRateHz = 24_000;
const sentence = 'There is a red circle in the middle of the picture, and a green star is left of it. ';
const messages = [{ role: 'user', content: 'Describe a scene with three shapes.' }];
/** Ends of answers, which would make the long ones short. */
const endTokens = [0, 2];

/** The bundled model of each category. */
export const hogModels = {
  chat: 'tiny-chat',
  speech: 'tiny-speech',
  transcription: 'tiny-whisper',
  image: 'tiny-image',
  detection: 'tiny-detect',
  embedding: 'tiny-embed',
  rerank: 'tiny-rerank',
};

/**
 * @param {Inference} inference with the models of `hogModels`
 * @returns {Promise<Record<string, Hog>>}
 */
export async function createHogs(inference) {
  const spoken = await speak(inference, sentence);
  const [large, small] = await Promise.all([picture(5000, 4000), picture(320, 240)]);
  const words = sentence.split(' ');
  const texts = Array.from({ length: 96 }, (_, index) => `${words.slice(index % 12).join(' ')} ${index}`);
  const documents = Array.from({ length: 500 }, (_, index) => texts[index % texts.length]);
  const query = 'a red circle';
  const logitBias = new Map(endTokens.map((id) => [id, -100]));
  const size = { width: 256, height: 256 };
  /** @param {number} length */
  const textOf = (length) =>
    texts
      .join(' ')
      .repeat(Math.ceil(length / 5000))
      .slice(0, length);
  const many = Array.from({ length: 2048 }, (_, index) => `${index} ${textOf(4000)}`);
  const prompts = Array.from({ length: 64 }, (_, index) => [
    { role: 'user', content: `${index} ${textOf(4000)}` },
  ]);
  /** @param {number} count @param {...object} requests @returns {Load} */
  const load = (count, ...requests) => ({ count, requests });
  return {
    chat: {
      small: { messages, maxTokens: 8 },
      loads: {
        answers: load(20, { messages, n: 5, maxTokens: 1500, logitBias }),
        prompts: load(64, ...prompts.map((prompt) => ({ messages: prompt, maxTokens: 1 }))),
        'prompts with seeds': load(
          64,
          ...prompts.map((prompt) => ({ messages: prompt, maxTokens: 1, seed: 1 })),
        ),
        'texts of 16 MB': load(4, { messages: [{ role: 'user', content: textOf(16_000_000) }] }),
      },
    },
    speech: {
      small: { input: 'A red circle.' },
      loads: {
        sentences: load(8, { input: sentence.repeat(80) }),
        'one sentence': load(8, { input: sentence.repeat(300).replaceAll('. ', ' ') }),
        numbers: load(8, { input: '1234567890123 '.repeat(2300) }),
      },
    },
    transcription: {
      small: { audio: toWav(spoken, 1) },
      loads: {
        minutes: load(12, { audio: toWav(spoken, 60) }),
        'times of words': load(12, { audio: toWav(spoken, 60), wordTimestamps: true }),
      },
    },
    image: {
      small: { prompt: query, ...size, numInferenceSteps: 2 },
      loads: {
        '50 steps': load(6, { prompt: query, ...size, numInferenceSteps: 50 }),
        '1024 × 1024': load(6, { prompt: query, width: 1024, height: 1024, numInferenceSteps: 50, n: 4 }),
      },
    },
    detection: { small: { image: small }, loads: { 'large pictures': load(48, { image: large }) } },
    embedding: {
      small: { input: query },
      loads: {
        '96 texts': load(200, { input: texts }),
        '2048 long texts': load(64, { input: many, truncate: true }),
      },
    },
    rerank: {
      small: { query, documents: [sentence] },
      loads: {
        '500 texts': load(100, { query, documents }),
        '2048 long texts': load(64, { query, documents: many, returnDocuments: true }),
      },
    },
  };
}

/**
 * Runs one request of a category to its end.
 *
 * @param {Inference} inference
 * @param {string} category
 * @param {object} request
 * @param {CallOptions} options
 */
export async function ask(inference, category, request, options) {
  const model = hogModels[/** @type {keyof typeof hogModels} */ (category)];
  for await (const _ of inference.run(category, { ...request, model }, options));
}

/** @param {Inference} inference @param {string} input */
async function speak(inference, input) {
  /** @type {Uint8Array[]} */
  const pieces = [];
  for await (const event of inference.speak({ model: hogModels.speech, input, format: 'pcm' })) {
    if (event.type === 'audio') pieces.push(event.bytes);
  }
  return Buffer.concat(pieces);
}

/** @param {Buffer} samples of 16 bits @param {number} times */
function toWav(samples, times) {
  const data = Buffer.concat(Array.from({ length: times }, () => samples));
  const file = new wavefile.WaveFile();
  file.fromScratch(1, sampleRateHz, '16', new Int16Array(data.buffer, data.byteOffset, data.length / 2));
  return file.toBuffer();
}

/** @param {number} width @param {number} height */
async function picture(width, height) {
  const create = { width, height, channels: /** @type {const} */ (3), background: '#204060' };
  return new Uint8Array(await sharp({ create }).jpeg().toBuffer());
}
