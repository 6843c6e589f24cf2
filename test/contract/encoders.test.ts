import { encoders } from '../../src/categories/embedding/models.ts';
import { onnxSessions } from '../../src/backends/onnx/sessions.ts';
import type { EmbeddingEvent, EmbeddingModelInfo } from '../../src/categories/embedding/events.ts';
import type { EmbeddingSettings } from '../../src/categories/embedding/settings.ts';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ModelSpec } from '../../src/contracts/model.ts';
import type { Pipeline } from '../../src/contracts/category.ts';
import { completeEmbeddingRequest, type EmbeddingRequest } from '../../src/categories/embedding/request.ts';
import { loadEmbeddingPipeline } from '../../src/categories/embedding/pipeline/embedding-pipeline.ts';
import { within } from '../tolerance.ts';

interface Golden {
  readonly cases: readonly {
    readonly text: string;
    readonly promptName: string | null;
    readonly vector: readonly number[];
  }[];
  /** What pooling the first token gives; of one model alone. */
  readonly classTokens: readonly (readonly number[])[];
}

const families = ['bert', 'mpnet', 'xlm-roberta', 'modernbert', 'qwen3-embedding'] as const;
const tolerance = within(1e-5);

describe.each(families)('%s', (family) => {
  let golden: Golden;
  let pipeline: Pipeline<EmbeddingRequest, EmbeddingEvent, EmbeddingModelInfo>;
  beforeAll(async () => {
    golden = await readGolden(family);
    pipeline = await load(family);
  });
  afterAll(() => pipeline.close());

  it('gives the vectors of sentence-transformers, text by text', async () => {
    for (const { text, promptName, vector } of golden.cases) {
      const [got] = await embed(pipeline, [text], promptName);
      expect(distance(got!, vector), `${promptName} ${text}`).toBeLessThan(tolerance);
    }
  });

  it('gives them to all texts at once, long and short together', async () => {
    const prompts = new Set(golden.cases.map(({ promptName }) => promptName));
    for (const prompt of prompts) {
      const cases = golden.cases.filter(({ promptName }) => promptName === prompt);
      const texts = cases.map(({ text }) => text);
      const vectors = await embed(pipeline, texts, prompt);
      for (const [index, { vector }] of cases.entries())
        expect(distance(vectors[index]!, vector), texts[index]).toBeLessThan(tolerance);
    }
  });
});

it('pools the first token where that is asked for, as for BGE', async () => {
  const { cases, classTokens } = await readGolden('bert');
  const pipeline = await load('bert', { pooling: 'cls' });
  onTestFinished(() => pipeline.close());
  const texts = cases.map(({ text }) => text);
  const vectors = await embed(pipeline, texts, null);
  expect(classTokens).toHaveLength(cases.length);
  for (const [index, vector] of vectors.entries())
    expect(distance(vector, classTokens[index]!)).toBeLessThan(tolerance);
});

it('pools the last token of a decoder that no file says how to pool', async () => {
  const source = await mkdtemp(join(tmpdir(), 'slashv1-encoder-'));
  onTestFinished(() => rm(source, { recursive: true }));
  await cp(folderOf('qwen3-embedding'), source, { recursive: true });
  await Promise.all(['modules.json', '1_Pooling/config.json'].map((name) => rm(join(source, name))));
  const pipeline = await load('qwen3-embedding', { source });
  onTestFinished(() => pipeline.close());
  const { text, promptName, vector } = (await readGolden('qwen3-embedding')).cases[0]!;
  const [got] = await embed(pipeline, [text], promptName);
  expect(distance(got!, vector)).toBeLessThan(tolerance);
});

function folderOf(family: string): string {
  return new URL(`models/${family}`, import.meta.url).pathname;
}

async function readGolden(family: string): Promise<Golden> {
  return JSON.parse(await readFile(join(folderOf(family), 'golden.json'), 'utf8')) as Golden;
}

function load(
  family: string,
  spec: Partial<ModelSpec<EmbeddingSettings>> = {},
): Promise<Pipeline<EmbeddingRequest, EmbeddingEvent, EmbeddingModelInfo>> {
  return loadEmbeddingPipeline(
    {
      id: family,
      category: 'embedding',
      source: folderOf(family),
      threads: 1,
      ...spec,
    },
    onnxSessions,
    encoders[0]!,
  );
}

async function embed(
  pipeline: Pipeline<EmbeddingRequest, EmbeddingEvent, EmbeddingModelInfo>,
  input: readonly string[],
  promptName: string | null,
): Promise<readonly Float32Array[]> {
  const request = completeEmbeddingRequest({
    model: pipeline.info.id,
    input,
    truncate: true,
    ...(promptName === null ? {} : { promptName }),
  });
  for await (const { embeddings } of pipeline.run(request)) return embeddings;
  throw new Error('no vectors came');
}

/** The largest difference of two numbers. */
function distance(got: Float32Array, expected: readonly number[]): number {
  expect(got.length).toBe(expected.length);
  return Math.max(...expected.map((value, index) => Math.abs(value - got[index]!)));
}
