import { afterEach, expect, it } from 'vitest';
import { createInference, type Inference } from '../../dist/src/index.js';
import type { ChatRequestInput } from '../../dist/src/categories/chat/request.js';
import { answers, compareAnswers, drawing } from '../../benchmarks/gpu/answers.js';
import { decoderFolder } from '../contract/decoder-golden.ts';

/** At temperature 0 every token has to be the same; with a seed, the draws are the same and rounding seldom moves one. */
const samplers = [
  { temperature: 0 },
  { seed: 3 },
  { seed: 5, topK: 20, topP: 0.9 },
  { seed: 7, temperature: 1, minP: 0, topP: 1 },
  { temperature: 0, responseFormat: { type: 'json-object' } },
] as const;

let inference: Inference | undefined;
afterEach(() => inference?.close());

/** Runs a model on the CPU and on the device, each in a process of its own. */
async function onBoth<Result>(
  source: string,
  run: (inference: Inference) => Promise<Result>,
): Promise<readonly [cpu: Result, webgpu: Result]> {
  const results: Result[] = [];
  for (const device of ['cpu', 'webgpu'] as const) {
    inference = createInference({ models: { m: { source, device, threads: 1, deadlineMs: 1_800_000 } } });
    await inference.ready();
    results.push(await run(inference));
    await inference.close();
  }
  return results as [Result, Result];
}

interface Answer {
  readonly text: string;
  readonly busBytes: number | undefined;
}

async function answer(given: Inference, request: Omit<ChatRequestInput, 'model'>): Promise<Answer> {
  let text = '';
  let busBytes: number | undefined;
  for await (const event of given.chat({ model: 'm', maxTokens: 24, ...request })) {
    if (event.type === 'text-delta' || event.type === 'reasoning-delta') text += event.text;
    if (event.type === 'usage') busBytes = event.busBytesPerStep;
  }
  return { text, busBytes };
}

// The attention of tiny-chat isn't recognized: its caches stay in the process.
it.each([
  ['tiny-chat', false],
  [decoderFolder('llama-gqa'), true],
])('%s: the same words, whichever samplers; caches on the device: %s', async (source, isResident) => {
  const messages = [{ role: 'user', content: 'Describe a scene with two shapes.' }] as const;
  const [cpu, webgpu] = await onBoth(source, async (given) => {
    const replies: Answer[] = [];
    for (const sampler of samplers) replies.push(await answer(given, { messages, ...sampler }));
    return replies;
  });
  for (const { text } of cpu) expect(text).not.toBe('');
  expect(webgpu.map(({ text }) => text)).toEqual(cpu.map(({ text }) => text));
  expect(cpu.map(({ busBytes }) => busBytes)).toEqual(samplers.map(() => undefined));
  for (const { busBytes } of webgpu) {
    if (isResident) expect(busBytes).toBeLessThan(16 * 1024);
    else expect(busBytes).toBeUndefined();
  }
});

it('tiny-vision: the same words about a picture', async () => {
  const [cpu, webgpu] = await onBoth('tiny-vision', async (given) => {
    const texts: string[] = [];
    for (const text of ['What is in this picture?', 'What color is the circle?']) {
      const content = [
        { type: 'image', image: drawing },
        { type: 'text', text },
      ] as const;
      texts.push((await answer(given, { messages: [{ role: 'user', content }], temperature: 0 })).text);
    }
    return texts;
  });
  console.log('tiny-vision:', cpu.join(' '));
  expect(cpu[0]).toContain('red circle');
  expect(webgpu).toEqual(cpu);
});

it.each([
  ['tiny-embed', 'embedding', { 'values of vectors': 1e-5 }],
  ['tiny-rerank', 'rerank', { order: 0, scores: 1e-4 }],
  ['tiny-detect', 'detection', { classes: 0, confidences: 1e-3, 'pixels of boxes': 0.05 }],
  ['tiny-whisper', 'transcription', { text: 0 }],
  // 330 of 32,767 are −40 dB.
  ['tiny-speech', 'speech', { 'samples of 16 bits': 330 }],
  ['tiny-image', 'image', { 'values of pixels': 1 }],
])('%s: the same answer', async (source, category, tolerances: Record<string, number>) => {
  const [cpu, webgpu] = await onBoth(source, (given) => answers[category]!(given as never, 'm'));
  const differences = compareAnswers(cpu, webgpu);
  expect(differences.map(({ quantity }) => quantity)).toEqual(Object.keys(tolerances));
  for (const { quantity, apart } of differences) {
    console.log(`${source}: ${quantity} at most ${apart.toPrecision(2)} apart`);
    expect(cpu[quantity]).not.toEqual([]);
    expect(apart).toBeLessThanOrEqual(tolerances[quantity]!);
  }
});
