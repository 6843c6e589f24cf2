import sharp from 'sharp';
import type { DetectionResult } from '../../../src/categories/detection/events.ts';
import type { RerankResult } from '../../../src/categories/rerank/events.ts';
import type { Inference } from '../../../dist/src/index.js';

const questions = [
  'What is 2 + 3?',
  'What is 7 + 5?',
  'Hello!',
  'Which colours do you know?',
  'Describe a scene.',
  'Who are you?',
];
const texts = [
  'a red circle',
  'the blue square is left of it',
  'good morning',
  'rain in Paris',
  'two',
  'a'.repeat(40),
];
const largestDifference = 1e-4;
const largestLogDifference = 0.01;
const largestPixelDifference = 2;
/** Pixels, and scores. */
const largestBoxDifference = 0.01;

/** @returns figures; throws where an engine's answers differ from those of this machine */
export async function equalAnswers(local: Inference, far: Inference): Promise<string> {
  const equal: string[] = [];
  for (const content of questions) {
    const messages = [{ role: 'user', content }] as const;
    const request = { model: 'chat', messages, temperature: 0, maxTokens: 60 } as const;
    const [here, there] = [await answerOf(local, request), await answerOf(far, request)];
    if (here !== there)
      throw new Error(`${content} → ${JSON.stringify(there)}, here ${JSON.stringify(here)}`);
    equal.push(here);
  }
  return `${equal.length} of ${questions.length} answers`;
}

async function answerOf(inference: Inference, request: Parameters<Inference['chat']>[0]): Promise<string> {
  let text = '';
  for await (const event of inference.chat(request)) if (event.type === 'text-delta') text += event.text;
  // vLLM is run without a reader of thoughts; llama.cpp's server keeps the line break after them.
  return text.replace(/^<think>[^]*?<\/think>/, '').trim();
}

const tools = [
  {
    name: 'get_weather',
    description: 'Get the weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
];

/** @returns figures; throws where an engine's calls of tools differ from those of this machine */
export async function equalCalls(local: Inference, far: Inference): Promise<string> {
  const cities = ['Paris', 'Rome', 'Oslo'];
  for (const city of cities) {
    const messages = [{ role: 'user', content: `What is the weather in ${city}?` }] as const;
    const request = { model: 'chat', messages, tools, temperature: 0, maxTokens: 80 } as const;
    const [here, there] = [await callOf(local, request), await callOf(far, request)];
    if (here === '' || here !== there) throw new Error(`${city}: ${there || 'no call'}, here ${here}`);
  }
  return `${cities.length} of ${cities.length} calls`;
}

async function callOf(inference: Inference, request: Parameters<Inference['chat']>[0]): Promise<string> {
  let name = '';
  let text = '';
  for await (const event of inference.chat(request)) {
    if (event.type === 'tool-call-start') name += event.name;
    if (event.type === 'tool-call-delta') text += event.arguments;
  }
  return name && name + JSON.stringify(JSON.parse(text));
}

/** @returns figures; throws where an engine's log probabilities differ from those of this machine */
export async function equalLogProbabilities(local: Inference, far: Inference): Promise<string> {
  const messages = [{ role: 'user', content: questions[0]! }] as const;
  const request = {
    model: 'chat',
    messages,
    temperature: 0,
    maxTokens: 20,
    logprobs: true,
    topLogprobs: 3,
  } as const;
  const [here, there] = [await logProbabilitiesOf(local, request), await logProbabilitiesOf(far, request)];
  const length = Math.min(here.length, there.length);
  if (length === 0) throw new Error('no log probabilities');
  const largest = difference(here.slice(0, length), there.slice(0, length));
  if (!(largest <= largestLogDifference)) throw new Error(`log probabilities are ${largest} apart`);
  return `${length} tokens within ${largest.toExponential(0)}`;
}

async function logProbabilitiesOf(
  inference: Inference,
  request: Parameters<Inference['chat']>[0],
): Promise<number[]> {
  const found: number[] = [];
  for await (const event of inference.chat(request)) {
    if (event.type === 'logprobs') found.push(...event.tokens.map(({ logprob }) => logprob));
  }
  return found;
}

/** @returns figures; throws where an engine's vectors or detections differ from those of this machine */
export async function equalTensors(local: Inference, far: Inference): Promise<string> {
  const [here, there] = await Promise.all(
    [local, far].map((one) => one.embed({ model: 'embedder', input: texts })),
  );
  const apart = here!.embeddings.map((vector, index) => difference(vector, there!.embeddings[index]!));
  const largest = Math.max(...apart);
  if (!(largest <= largestDifference)) throw new Error(`vectors are ${largest} apart`);
  let found = 0;
  for (const image of await Promise.all(scenes.map(draw))) {
    const [wanted, got] = [
      await local.detect({ model: 'detector', image }),
      await far.detect({ model: 'detector', image }),
    ];
    assertSame(wanted, got);
    found += got.detections.length;
  }
  if (found < scenes.length) throw new Error(`only ${found} detections to compare`);
  return `${texts.length} vectors within ${largest.toExponential(0)}, ${found} detections`;
}

/** @returns figures; throws where an engine's scores differ from those of this machine */
export async function equalScores(local: Inference, far: Inference): Promise<string> {
  const request = { model: 'reranker', query: 'a red circle', documents: texts };
  const [here, there] = [await local.rerank(request), await far.rerank(request)];
  const scores = ({ results }: RerankResult): number[] =>
    results.toSorted((one, other) => one.index - other.index).map(({ relevanceScore }) => relevanceScore);
  const largest = difference(scores(here), scores(there));
  if (!(largest <= largestDifference)) throw new Error(`scores are ${largest} apart`);
  return `${texts.length} scores within ${largest.toExponential(0)}`;
}

/** @returns figures; throws where an engine's picture differs from that of this machine */
export async function equalPictures(local: Inference, far: Inference): Promise<string> {
  const request = { model: 'painter', prompt: 'a red circle', seed: 1, width: 256, height: 256 };
  const [here, there] = [await paint(local, request), await paint(far, request)];
  const largest = difference(here, there);
  if (!(largest <= largestPixelDifference)) throw new Error(`pixels are ${largest} of 255 apart`);
  return `pixels within ${largest} of 255`;
}

async function paint(inference: Inference, request: Parameters<Inference['image']>[0]): Promise<Uint8Array> {
  for await (const event of inference.image(request)) {
    if (event.type === 'image') return sharp(event.png).raw().toBuffer();
  }
  throw new Error('no picture');
}

function assertSame({ detections: wanted }: DetectionResult, { detections: got }: DetectionResult): void {
  const isSame =
    wanted.length === got.length &&
    wanted.every(({ classId, confidence, box }, index) => {
      const other = got[index]!;
      const numbers = [confidence, ...Object.values(box)];
      const others = [other.confidence, ...Object.values(other.box)];
      return classId === other.classId && difference(numbers, others) <= largestBoxDifference;
    });
  if (!isSame) throw new Error(`detections ${JSON.stringify(got)}, here ${JSON.stringify(wanted)}`);
}

function difference(one: ArrayLike<number>, other: ArrayLike<number>): number {
  return Array.from(one).reduce(
    (largest, value, index) => Math.max(largest, Math.abs(value - other[index]!)),
    0,
  );
}

const scenes = [
  '<circle cx="70" cy="70" r="40" fill="red"/><rect x="140" y="130" width="80" height="80" fill="blue"/>',
  '<rect x="30" y="140" width="70" height="70" fill="green"/><circle cx="180" cy="70" r="35" fill="yellow"/>',
];

function draw(shapes: string): Promise<Uint8Array> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256"><rect width="256" height="256" fill="white"/>${shapes}</svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
}
