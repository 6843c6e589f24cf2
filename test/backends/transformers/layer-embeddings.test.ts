import { expect, onTestFinished, test } from 'vitest';
import { onnx } from '../../../src/backends/onnx/backend.ts';
import { transformers } from '../../../src/backends/transformers/backend.ts';
import { chat } from '../../../src/categories/exports.ts';
import { createTokenEmbedder } from '../../../src/categories/chat/pipeline/vision/load-vision.ts';
import { createInference } from '../../../src/inference.ts';
import type { Session } from '../../../src/contracts/graph.ts';
import { readGolden, unpackMiniature } from './unpack-miniature.ts';
import { decimalsWithin } from '../../tolerance.ts';

// Gemma 4: each layer has embeddings of its own, which the graph of the tokens gives beside the usual ones.

test.each([
  ['onnx() as exported', { backend: onnx(), optimize: false }],
  ['onnx() rewritten', { backend: onnx(), optimize: true }],
  ['transformers()', { backend: transformers() }],
])('answers with embeddings of each layer by %s', async (_, options) => {
  const golden = readGolden('gemma4');
  const source = unpackMiniature('gemma4');
  const inference = createInference({
    models: { mini: chat({ source, threads: 1, ...options }) },
    isolation: 'inline',
  });
  onTestFinished(() => inference.close());
  const request = {
    model: 'mini',
    messages: [{ role: 'user', content: golden.content }],
    temperature: 0,
    repeatPenalty: 1,
    logprobs: true,
    maxTokens: golden.tokens.length,
    n: 2,
  } as const;
  const texts = ['', ''];
  const logprobs: number[][] = [[], []];
  for await (const event of inference.chat(request)) {
    if (event.type === 'text-delta') texts[event.choice] += event.text;
    if (event.type === 'logprobs')
      logprobs[event.choice]!.push(...event.tokens.map(({ logprob }) => logprob));
  }
  const text = golden.tokens.map((token) => String.fromCharCode(token + 29)).join('');
  expect(texts).toEqual([text, text]);
  for (const row of logprobs) {
    expect(row).toHaveLength(golden.logprobs.length);
    for (const [at, logprob] of row.entries())
      expect(logprob).toBeCloseTo(golden.logprobs[at]!, decimalsWithin(4));
  }
});

test('embeddings of layers that a graph does not give are missed by name', () => {
  const session = {
    inputs: [{ name: 'input_ids', type: 'int64', dims: ['batch', 'tokens'] }],
    outputs: [{ name: 'inputs_embeds', type: 'float32', dims: ['batch', 'tokens', 8] }],
  } as unknown as Session;
  const create = () => createTokenEmbedder(session, { hiddenSize: 8, layerSize: 4 }, { find: () => never() });
  expect(create).toThrow(/embed_tokens has no output per_layer_inputs/);
});

function never(): never {
  throw new Error('no pictures');
}
