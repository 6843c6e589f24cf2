/** Work of a caller at its worst, and a small request of another one, for each category. */

import sharp from 'sharp';
import { default as wavefile } from 'wavefile';

/**
 * @typedef {{ readonly count: number, readonly large: object, readonly small: object }} Hog
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
  return {
    chat: {
      count: 20,
      large: { messages, n: 5, maxTokens: 1500, logitBias: new Map(endTokens.map((id) => [id, -100])) },
      small: { messages, maxTokens: 8 },
    },
    speech: { count: 8, large: { input: sentence.repeat(80) }, small: { input: 'A red circle.' } },
    transcription: {
      count: 12,
      large: { audio: toWav(spoken, 60) },
      small: { audio: toWav(spoken, 1) },
    },
    image: {
      count: 6,
      large: { prompt: query, width: 256, height: 256, numInferenceSteps: 50 },
      small: { prompt: query, width: 256, height: 256, numInferenceSteps: 2 },
    },
    detection: { count: 48, large: { image: large }, small: { image: small } },
    embedding: { count: 200, large: { input: texts }, small: { input: query } },
    rerank: { count: 100, large: { query, documents }, small: { query, documents: [sentence] } },
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
