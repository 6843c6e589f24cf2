import { describe, expect, test } from 'vitest';
import { openChat, prompts, readGolden, realModel, toBytes } from './answers.ts';

const float32 = realModel('smollm2-fp32');
const int4 = realModel('smollm2-q4');
const fused = realModel('smollm2-gqa-int4');

describe.skipIf(!float32)('SmolLM2 in float32', () => {
  test('gives the answers and log probabilities of transformers', async () => {
    const model = await openChat(float32!);
    const golden = readGolden('greedy-transformers.json');
    let furthest = 0;
    for (const [index, prompt] of prompts.entries()) {
      const { tokens, logprobs, promptTokens } = await model.answer(prompt);
      expect(promptTokens).toBe(golden[index]!.prompt.length);
      expect(tokens).toEqual(await toBytes(float32!, golden[index]!));
      for (const [step, logprob] of logprobs.entries())
        furthest = Math.max(furthest, Math.abs(logprob - golden[index]!.best[step]![0]![1]));
    }
    await model.close();
    expect(furthest).toBeLessThan(1e-4);
  });
});

describe.skipIf(!fused)('SmolLM2 in int4, exported by onnxruntime-genai', () => {
  test('gives the answers of onnxruntime-genai', async () => {
    // As it is, the graph takes the same kernels.
    const model = await openChat(fused!, { optimize: false });
    for (const [index, golden] of readGolden('greedy-genai.json').entries()) {
      const { tokens, promptTokens } = await model.answer(prompts[index]!);
      expect(promptTokens).toBe(golden.prompt.length);
      expect(tokens).toEqual(await toBytes(fused!, golden));
    }
    await model.close();
  });

  test('leaves them only where two tokens are about as likely, when the graph is rewritten', async () => {
    const model = await openChat(fused!);
    for (const [index, golden] of readGolden('greedy-genai.json').entries()) {
      const { tokens } = await model.answer(prompts[index]!);
      const wanted = await toBytes(fused!, golden);
      const step = wanted.findIndex((token, place) => token !== tokens[place]);
      if (step === -1) continue;
      const [[, first], [, second]] = golden.best[step] as [[number, number], [number, number]];
      expect(first - second).toBeLessThan(0.5);
    }
    await model.close();
  });
});

describe.skipIf(!int4)('SmolLM2 in int4 with float32 activations', () => {
  test('gives the same answers with speculation and without', async () => {
    const plain = await openChat(int4!, { int8Activations: false });
    const wanted = [];
    for (const prompt of prompts) wanted.push(await plain.answer(prompt));
    await plain.close();
    const speculating = await openChat(int4!, { int8Activations: false, speculation: true });
    let furthest = 0;
    for (const [index, prompt] of prompts.entries()) {
      const { tokens, logprobs } = await speculating.answer(prompt);
      expect(tokens).toEqual(wanted[index]!.tokens);
      for (const [step, logprob] of logprobs.entries())
        furthest = Math.max(furthest, Math.abs(logprob - wanted[index]!.logprobs[step]!));
    }
    await speculating.close();
    // Guesses were verified together: the kernel of several rows rounds otherwise.
    expect(furthest).toBeGreaterThan(0);
    expect(furthest).toBeLessThan(1e-3);
  });
});
