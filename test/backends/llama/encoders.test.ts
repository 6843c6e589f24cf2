import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmbeddingEvent } from '../../../src/categories/embedding/events.ts';
import { completeEmbeddingRequest } from '../../../src/categories/embedding/request.ts';
import type { RerankEvent } from '../../../src/categories/rerank/events.ts';
import { completeRerankRequest } from '../../../src/categories/rerank/request.ts';
import { loadPipeline } from '../../../src/loading/load-pipeline.ts';
import { createTextTokenizer } from '../../../src/folder/tokenizer.ts';
import { openModelFolder } from '../../../src/folder/model-folder.ts';
import { tinyBertAsGguf, tinyEmbed } from './tiny-bert-gguf.ts';
import { tinyChatAsGguf } from './tiny-gguf.ts';
import { missingLlama, needs } from '../../needs.ts';

// llama.cpp computes GELU by its approximation and from a table of float16.
const tolerance = 2e-3;
const texts = [
  'a red circle above a blue square',
  'There is a green star in the middle.',
  'two yellow triangles',
  'Stars!',
  'a red circle, a red circle, a red circle and a small blue square below them',
];

describe('encoders in GGUF files', { ...needs(missingLlama), timeout: 120_000 }, () => {
  let folder: string;
  const write = (name: string, bytes: Uint8Array): string => {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return path;
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'slashv1-gguf-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  async function embed(source: string, input: readonly (string | number[])[], settings: object = {}) {
    const pipeline = await loadPipeline({ id: 'a', source, ...settings });
    expect(pipeline.info.category).toBe('embedding');
    const vectors: Float32Array[] = [];
    const request = completeEmbeddingRequest({ model: 'a', input: input as string[] });
    for await (const event of pipeline.run(request)) vectors.push(...(event as EmbeddingEvent).embeddings);
    await pipeline.close();
    return vectors;
  }

  it('embeds as the ONNX file does, with the tokens of llama.cpp', async () => {
    const found = await embed(write('mean.gguf', tinyBertAsGguf({ pooling: 1 })), texts);
    const expected = await embed(tinyEmbed, texts);
    expect(found).toHaveLength(texts.length);
    for (const [index, vector] of found.entries()) {
      const differences = vector.map((value, at) => Math.abs(value - expected[index]![at]!));
      expect(Math.max(...differences)).toBeLessThan(tolerance);
    }
  });

  it('takes the pooling of the settings, in place of the model’s own', async () => {
    const path = write('mean.gguf', tinyBertAsGguf({ pooling: 1 }));
    const first = await embed(path, texts.slice(0, 1), { pooling: 'cls' });
    const expected = await embed(tinyEmbed, texts.slice(0, 1), { pooling: 'cls' });
    expect(Math.max(...first[0]!.map((value, at) => Math.abs(value - expected[0]![at]!)))).toBeLessThan(
      tolerance,
    );
  });

  it('embeds with a language model, by its last token', async () => {
    const path = write('chat.gguf', tinyChatAsGguf());
    const [together, alone] = [
      await embed(path, texts, { category: 'embedding' }),
      await embed(path, [texts[1]!], { category: 'embedding' }),
    ];
    expect(Math.hypot(...together[1]!)).toBeCloseTo(1, 5);
    expect(Math.max(...alone[0]!.map((value, at) => Math.abs(value - together[1]![at]!)))).toBeLessThan(1e-3);
    expect(Math.max(...together[0]!.map((value, at) => Math.abs(value - together[1]![at]!)))).toBeGreaterThan(
      0.05,
    );
  });

  it('ranks by the head of the model', async () => {
    const head = Float32Array.from({ length: 128 }, (_, at) => Math.sin(at));
    const query = 'a red circle';
    const pipeline = await loadPipeline({
      id: 'a',
      source: write('rank.gguf', tinyBertAsGguf({ pooling: 4, head })),
    });
    expect(pipeline.info.category).toBe('rerank');
    const scores: number[] = [];
    const request = completeRerankRequest({ model: 'a', query, documents: texts });
    for await (const event of pipeline.run(request)) {
      for (const { index, relevanceScore } of (event as RerankEvent).results) scores[index] = relevanceScore;
    }
    await pipeline.close();

    const { encode, frame } = createTextTokenizer(await openModelFolder(tinyEmbed));
    const pairs = texts.map((text) => [
      ...frame.before,
      ...encode(query),
      ...frame.after,
      ...encode(text),
      ...frame.after,
    ]);
    const path = write('cls.gguf', tinyBertAsGguf({ pooling: 2 }));
    const vectors = await embed(path, pairs, { normalize: false, tokenIds: true });
    const expected = vectors.map(
      (vector) => 1 / (1 + Math.exp(-vector.reduce((sum, value, at) => sum + value * head[at]!, 0))),
    );
    for (const [index, score] of scores.entries()) expect(score).toBeCloseTo(expected[index]!, 3);
    expect(new Set(scores).size).toBe(texts.length);
  });
});
