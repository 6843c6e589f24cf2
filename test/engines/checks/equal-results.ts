import sharp from 'sharp';
import type { DetectionResult } from '../../../src/categories/detection/events.ts';
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
  return Math.max(...Array.from(one, (value, index) => Math.abs(value - other[index]!)));
}

const scenes = [
  '<circle cx="70" cy="70" r="40" fill="red"/><rect x="140" y="130" width="80" height="80" fill="blue"/>',
  '<rect x="30" y="140" width="70" height="70" fill="green"/><circle cx="180" cy="70" r="35" fill="yellow"/>',
];

function draw(shapes: string): Promise<Uint8Array> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256"><rect width="256" height="256" fill="white"/>${shapes}</svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
}
