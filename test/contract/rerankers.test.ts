import { scorers } from '../../src/categories/rerank/models.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onnxSessions } from '../../src/backends/onnx/sessions.ts';
import type { ModelSpec } from '../../src/contracts/model.ts';
import type { Pipeline } from '../../src/contracts/category.ts';
import type { RerankEvent, RerankModelInfo, RerankResult } from '../../src/categories/rerank/events.ts';
import { loadRerankPipeline } from '../../src/categories/rerank/pipeline/rerank-pipeline.ts';
import {
  completeRerankRequest,
  type RerankRequest,
  type RerankRequestInput,
} from '../../src/categories/rerank/request.ts';
import type { RerankSettings } from '../../src/categories/rerank/settings.ts';
import { decimalsWithin, within } from '../tolerance.ts';

interface Golden {
  readonly maxTokens: number;
  readonly documents: readonly string[];
  readonly cases: readonly {
    readonly query: string;
    readonly tokens: readonly number[];
    readonly scores: readonly number[];
    readonly order: readonly number[];
  }[];
}

type Reranker = Pipeline<RerankRequest, RerankEvent, RerankModelInfo>;

const families = [
  'bert-reranker',
  'bert-reranker-two-labels',
  'xlm-roberta-reranker',
  'modernbert-reranker',
] as const;
/** Of scores, decimals. */
const decimals = decimalsWithin(4);

describe.each(families)('%s', (family) => {
  const { maxTokens, documents, cases } = readGolden(family);
  let pipeline: Reranker;
  beforeAll(async () => {
    pipeline = await load(family);
  });
  afterAll(() => pipeline.close());

  it('reads as many tokens as its positions allow', () => {
    expect(pipeline.info).toMatchObject({ category: 'rerank', contextLength: maxTokens });
  });

  it.each(cases)('"$query": the scores and tokens of transformers, pair by pair', async (golden) => {
    const { query, tokens, scores } = golden;
    for (const [index, document] of documents.entries()) {
      const { results, promptTokens } = await rerank(pipeline, { query, documents: [document] });
      expect(results).toEqual([{ index: 0, relevanceScore: expect.closeTo(scores[index]!, decimals) }]);
      expect(promptTokens, document).toBe(tokens[index]);
    }
  });

  it.each(cases)('"$query": the same order, whatever runs together', async (golden) => {
    const { query, tokens, scores } = golden;
    for (const maxBatchTokens of [1, 100, undefined]) {
      const batching = maxBatchTokens === undefined ? pipeline : await load(family, { maxBatchTokens });
      const all = await Promise.all([
        rerank(batching, { query, documents }),
        rerank(batching, { query, documents: documents.map((text) => ({ text })) }),
      ]);
      for (const { results, promptTokens } of all) {
        expect(promptTokens).toBe(sum(tokens));
        expect(results.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual([...documents.keys()]);
        for (const [place, { index, relevanceScore }] of results.entries()) {
          expect(relevanceScore).toBeCloseTo(scores[index]!, decimals);
          const after = results[place + 1];
          if (after) expect(scores[index]! - scores[after.index]!).toBeGreaterThan(-within(1e-4));
        }
      }
      if (batching !== pipeline) await batching.close();
    }
  });

  it('gives the best few, with their texts', async () => {
    const { query, order } = cases[0]!;
    const { results } = await rerank(pipeline, { query, documents, topN: 3, returnDocuments: true });
    expect(results.map(({ index, document }) => [index, document])).toEqual(
      order.slice(0, 3).map((index) => [index, documents[index]]),
    );
  });

  it('gives all where there are fewer than wanted', async () => {
    const { results } = await rerank(pipeline, { query: 'a', documents, topN: 2048 });
    expect(results).toHaveLength(documents.length);
  });

  it.each([1, 5, 1000])('cuts documents to %d tokens', async (maxTokensPerDoc) => {
    const { query, tokens, scores } = cases[1]!;
    const beside = tokens[documents.indexOf('')]!;
    const { results, promptTokens } = await rerank(pipeline, { query, documents, maxTokensPerDoc });
    const most = beside + maxTokensPerDoc;
    expect(promptTokens).toBe(sum(tokens.map((count) => Math.min(count, most))));
    for (const { index, relevanceScore } of results) {
      if (tokens[index]! <= most) expect(relevanceScore).toBeCloseTo(scores[index]!, decimals);
    }
  });

  it('cuts a document at its end', async () => {
    const [start, rest] = ['the quick brown fox', ' jumps over the lazy dog'.repeat(40)];
    const { promptTokens } = await rerank(pipeline, { query: 'fox', documents: [start] });
    const beside = (await rerank(pipeline, { query: 'fox', documents: [''] })).promptTokens;
    const { results } = await rerank(pipeline, {
      query: 'fox',
      documents: [start, start + rest],
      maxTokensPerDoc: promptTokens - beside,
    });
    expect(results[1]!.relevanceScore).toBeCloseTo(results[0]!.relevanceScore, decimals);
  });

  it.each([
    ['too many tokens', 'reset my password '.repeat(30)],
    ['far too many characters', 'a'.repeat(1_000_000)],
  ])('refuses a query of %s', async (_name, query) => {
    await expect(rerank(pipeline, { query, documents: ['a'] })).rejects.toMatchObject({
      code: 'context_length_exceeded',
      param: 'query',
    });
  });

  it.each([
    ['lone surrogates', '\ud800 a \udc00'],
    ['an emoji of several parts', '👩‍👩‍👧‍👦'],
    ['white space alone', ' \n\t\u3000 '],
    ['control characters', '\0\u0007\u001b[0m'],
    ['right to left', 'ما هي عاصمة فرنسا؟'],
    ['a million characters', 'über '.repeat(200_000)],
  ])('scores %s', async (_name, text) => {
    const { results } = await rerank(pipeline, { query: 'a', documents: [text, '', text] });
    for (const { relevanceScore } of results) expect(relevanceScore).toBeGreaterThan(0);
    const twins = results.filter(({ index }) => index !== 1);
    // Rows of a batch may round differently.
    const [one, other] = twins.map(({ relevanceScore }) => relevanceScore);
    expect(one).toBeCloseTo(other!, decimals);
    if (one === other) expect(twins.map(({ index }) => index)).toEqual([0, 2]);
  });
});

function folderOf(family: string): string {
  return new URL(`models/${family}`, import.meta.url).pathname;
}

function readGolden(family: string): Golden {
  return JSON.parse(readFileSync(join(folderOf(family), 'golden.json'), 'utf8')) as Golden;
}

function load(family: string, spec: Partial<ModelSpec<RerankSettings>> = {}): Promise<Reranker> {
  const whole = { id: family, category: 'rerank', source: folderOf(family), threads: 1, ...spec };
  return loadRerankPipeline(whole, onnxSessions, scorers[0]!);
}

async function rerank(pipeline: Reranker, request: Omit<RerankRequestInput, 'model'>): Promise<RerankResult> {
  const complete = completeRerankRequest({ model: pipeline.info.id, ...request });
  for await (const { results, promptTokens } of pipeline.run(complete)) return { results, promptTokens };
  throw new Error('no ranking came');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
