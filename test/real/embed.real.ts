import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { realModels } from '../../benchmarks/real-models.js';
import { createInference, embedding, type Inference } from '../../dist/src/index.js';

interface Golden {
  readonly vectors: readonly { readonly text: string; readonly float32: string }[];
}

const golden = JSON.parse(await readFile(join(import.meta.dirname, 'golden/minilm.json'), 'utf8')) as Golden;
const texts = golden.vectors.map(({ text }) => text);
const expected = golden.vectors.map(({ float32 }) => {
  const bytes = Buffer.from(float32, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(4 * at));
});

let inference: Inference;
beforeAll(async () => {
  const source = join(realModels, 'minilm');
  inference = createInference({
    models: { minilm: embedding({ source }), 'minilm-q8': embedding({ source, dtype: 'q8' }) },
  });
  await inference.ready();
});
afterAll(() => inference?.close());

const vectorsOf = async (input: readonly string[], model = 'minilm') =>
  (await inference.embed({ model, input })).embeddings;

const cosine = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((sum, value, at) => sum + value * b[at]!, 0);

function furthest(found: readonly ArrayLike<number>[]): number {
  expect(found).toHaveLength(expected.length);
  return Math.max(
    ...found.map((vector, index) => {
      expect(vector).toHaveLength(384);
      return Math.max(...expected[index]!.map((value, at) => Math.abs(value - vector[at]!)));
    }),
  );
}

it('embeds as sentence-transformers does, all texts in one request', async () => {
  expect(furthest(await vectorsOf(texts))).toBeLessThan(1e-6);
});

it('embeds as sentence-transformers does, a request for each text', async () => {
  const alone = await Promise.all(texts.map((text) => vectorsOf([text])));
  expect(furthest(alone.flat())).toBeLessThan(1e-6);
});

it('in 8 bits, stays near', async () => {
  const found = await vectorsOf(texts, 'minilm-q8');
  const lowest = Math.min(...found.map((vector, index) => cosine(vector, expected[index]!)));
  expect(lowest).toBeGreaterThan(0.9);
});

it('refuses ids of another tokenizer, which it would take for other words', async () => {
  // All of them exist in this vocabulary, too.
  const input = [32, 2875, 11914, 304, 6063, 13];
  await expect(inference.embed({ model: 'minilm', input })).rejects.toMatchObject({ param: 'input' });
});
