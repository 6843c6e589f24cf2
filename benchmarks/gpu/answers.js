// One fixed request for each category, and how far the answers of two devices are apart.
// As a program it loads a model, asks it and writes the answer as JSON: node benchmarks/gpu/answers.js MODEL CATEGORY DEVICE FILE
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { createInference } from 'slashv1';
import { recordSpeech } from '../../dist/src/cli/bench/sample-files.js';

/**
 * @typedef {import('slashv1').Inference} Inference
 * @typedef {Record<string, (string | number)[]>} Answer texts or numbers of each quantity
 * @typedef {object} Difference
 * @property {string} quantity
 * @property {number} apart the greatest distance of two numbers; of texts the number of those that differ
 * @property {number} tolerance
 * @property {string} detail for people
 */

/** A circle above a square, as PNG. */
export const drawing = await sharp(
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256">
      <rect width="256" height="256" fill="white"/>
      <circle cx="128" cy="70" r="40" fill="#e02020"/>
      <rect x="88" y="146" width="80" height="80" fill="#2040e0"/>
    </svg>`,
  ),
)
  .png()
  .toBuffer();

/** @type {Record<string, (inference: Inference, model: string) => Promise<Answer>>} category → answer to its request */
export const answers = {
  async chat(inference, model) {
    const messages = [{ role: /** @type {const} */ ('user'), content: 'Describe a scene with two shapes.' }];
    const request = { model, messages, maxTokens: 32, temperature: 0, repeatPenalty: 1 };
    const tokens = [];
    for await (const event of inference.chat({ ...request, logprobs: true, topLogprobs: 2 })) {
      if (event.type === 'logprobs') tokens.push(...event.tokens);
    }
    return {
      tokens: tokens.map(({ bytes }) => bytes.join(' ')),
      'log probabilities': tokens.map(({ logprob }) => logprob),
      leads: tokens.map(
        ({ topLogprobs: [first, second] }) => (first?.logprob ?? 0) - (second?.logprob ?? -9),
      ),
    };
  },
  async embedding(inference, model) {
    const { embeddings } = await inference.embed({
      model,
      input: ['a red circle', 'the weather in Paris'],
    });
    return { 'values of vectors': embeddings.flatMap((vector) => [...vector]) };
  },
  async rerank(inference, model) {
    const documents = ['The weather in Paris is sunny.', 'There is a red circle above a blue square.'];
    const { results } = await inference.rerank({ model, query: 'what is above the blue square', documents });
    return {
      order: results.map(({ index }) => String(index)),
      scores: results.map(({ relevanceScore }) => relevanceScore),
    };
  },
  async detection(inference, model) {
    const image = drawing.toString('base64');
    const { detections } = await inference.detect({ model, image, confidence: 0.2 });
    return {
      classes: detections.map(({ className }) => className),
      confidences: detections.map(({ confidence }) => confidence),
      'pixels of boxes': detections.flatMap(({ box }) => [box.x1, box.y1, box.x2, box.y2]),
    };
  },
  async transcription(inference, model) {
    let text = '';
    const audio = await recordSpeech(new AbortController().signal);
    for await (const event of inference.transcribe({ model, audio })) {
      if (event.type === 'segment') text += event.segment.text;
    }
    return { text: text.trim().split(/\s+/) };
  },
  async speech(inference, model) {
    const bytes = [];
    for await (const event of inference.speak({ model, input: 'A red circle.', format: 'pcm' })) {
      if (event.type === 'audio') bytes.push(event.bytes);
    }
    const { buffer, byteOffset, byteLength } = Buffer.concat(bytes);
    return { 'samples of 16 bits': [...new Int16Array(buffer.slice(byteOffset, byteOffset + byteLength))] };
  },
  async image(inference, model) {
    const size = { width: 256, height: 256, numInferenceSteps: 2 };
    for await (const event of inference.image({ model, prompt: 'a red circle', seed: 1, ...size })) {
      if (event.type === 'image')
        return { 'values of pixels': [...(await sharp(event.png).raw().toBuffer())] };
    }
    throw new Error(`${model}: expected a picture, got none`);
  },
};

/**
 * Distances that nobody notices in an answer, also of graphs in 16 bits. Two devices round differently; float32 graphs come far
 * closer: docs/guides/webgpu-tests.md.
 *
 * @type {Record<string, number>}
 */
const tolerances = {
  'log probabilities': 0.05,
  'values of vectors': 1e-3,
  scores: 1e-3,
  confidences: 1e-2,
  'pixels of boxes': 1,
  'samples of 16 bits': 330,
  'values of pixels': 16,
};

/**
 * Compares the answers of two devices.
 *
 * @param {Answer} reference
 * @param {Answer} answer
 * @returns {Difference[]}
 */
export function compareAnswers(reference, answer) {
  const { leads, ...quantities } = reference;
  const other = leads?.findIndex((_, at) => reference['tokens']?.[at] !== answer['tokens']?.[at]) ?? -1;
  // Rounding may choose another one of two tokens that are as likely as each other; the answers part there.
  const isTie = other !== -1 && Number(leads?.[other]) <= 2 * (tolerances['log probabilities'] ?? 0);
  const end = other === -1 ? undefined : other + (isTie ? 0 : 1);
  return Object.entries(quantities).map(([quantity, values]) => {
    const [some, others] = [values.slice(0, end), (answer[quantity] ?? []).slice(0, end)];
    const tolerance = tolerances[quantity] ?? 0;
    if (some.length !== others.length) {
      return { quantity, apart: Infinity, tolerance, detail: `${some.length} on cpu, ${others.length} here` };
    }
    const distances = some.map((value, at) =>
      typeof value === 'number' ? Math.abs(value - Number(others[at])) : Number(value !== others[at]),
    );
    const apart = distances.reduce((most, distance) => Math.max(most, distance), 0);
    const counted = `${some.length}${isTie ? ` of ${values.length}, then two are equally likely` : ''}`;
    return { quantity, apart, tolerance, detail: counted };
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , source = '', category = '', device = '', file = ''] = process.argv;
  const settings = /** @type {any} */ ({ source, category, device, deadlineMs: 3_600_000 });
  const inference = createInference({ models: { [source]: settings } });
  await inference.ready();
  const answer = await answers[category]?.(inference, source);
  await inference.close();
  writeFileSync(file, JSON.stringify(answer));
}
