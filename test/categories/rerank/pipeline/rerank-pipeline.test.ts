import { scorers } from '../../../../src/categories/rerank/models.ts';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RerankResult } from '../../../../src/categories/rerank/events.ts';
import { loadRerankPipeline } from '../../../../src/categories/rerank/pipeline/rerank-pipeline.ts';
import { completeRerankRequest, type RerankRequestInput } from '../../../../src/categories/rerank/request.ts';
import type { ElementType, Session } from '../../../../src/contracts/graph.ts';

const source = new URL('../../../contract/models/bert-reranker', import.meta.url).pathname;

interface FakeGraph {
  readonly inputs?: Readonly<Record<string, ElementType>>;
  readonly shape?: readonly (number | string)[];
  readonly output?: string;
  readonly type?: ElementType;
  /** The logits of a row, by its number of tokens. */
  readonly logitsOf?: (tokens: number) => readonly number[];
  /** Called at the start of a run. */
  readonly onRun?: (run: number) => void;
}

/** A cross-encoder that looks at lengths alone, and remembers the shape of each run. */
function createGraph({
  inputs = { input_ids: 'int64', attention_mask: 'int64', token_type_ids: 'int64' },
  shape = ['batch', 'length'],
  output = 'logits',
  type = 'float32',
  logitsOf = (tokens) => [tokens / 10],
  onRun = () => undefined,
}: FakeGraph = {}): Session & { readonly runs: [rows: number, length: number][]; released: number } {
  const session = {
    runs: [] as [number, number][],
    released: 0,
    inputs: Object.entries(inputs).map(([name, inputType]) => ({ name, type: inputType, dims: shape })),
    outputs: [{ name: output, type, dims: ['batch', 1] }],
    async run(feeds: Parameters<Session['run']>[0]) {
      const { dims, data } = feeds['attention_mask']!;
      const [rows, length] = dims as [number, number];
      session.runs.push([rows, length]);
      onRun(session.runs.length);
      const mask = Array.from(data as Iterable<bigint | number>, Number);
      const logits = Array.from({ length: rows }, (_, row) =>
        logitsOf(mask.slice(row * length, (row + 1) * length).reduce((sum, one) => sum + one, 0)),
      );
      const values = logits.flat();
      return {
        [output]: {
          type,
          dims: [rows, logits[0]!.length],
          data: type === 'float16' ? new Uint16Array(values.length).fill(0x3c00) : Float32Array.from(values),
        },
      };
    },
    async release() {
      session.released++;
    },
  };
  return session;
}

async function open(graph: FakeGraph = {}, folder = source) {
  const session = createGraph(graph);
  const loading = loadRerankPipeline(
    { id: 'ranker', category: 'rerank', source: folder },
    { hasGraphs: false, openSession: async () => session },
    scorers[0]!,
  );
  const rerank = async (
    request: Omit<RerankRequestInput, 'model'>,
    signal?: AbortSignal,
  ): Promise<RerankResult> => {
    const complete = completeRerankRequest({ model: 'ranker', ...request });
    for await (const event of (await loading).run(complete, { signal })) return event;
    throw new Error('no ranking came');
  };
  await loading.catch(() => undefined);
  return { session, loading, rerank };
}

describe('scores', () => {
  const documents = ['a', 'a fox', 'a quick fox'];

  it.each<[string, FakeGraph, number[]]>([
    ['the sigmoid of one logit', { logitsOf: () => [2] }, [0.8808]],
    ['the share of the second of two', { logitsOf: () => [-1, 1] }, [0.8808]],
    ['half precision', { type: 'float16' }, [0.7311]],
    ['a logit that is hopeless', { logitsOf: () => [-1000] }, [0]],
  ])('%s', async (_name, graph, [score]) => {
    const { results } = await (await open(graph)).rerank({ query: 'a', documents });
    expect(results.map(({ index }) => index)).toEqual([0, 1, 2]);
    for (const { relevanceScore } of results) expect(relevanceScore).toBeCloseTo(score!, 4);
  });

  it('are ordered by logits where all of them are 1', async () => {
    const { results } = await (
      await open({ logitsOf: (tokens) => [100 + tokens] })
    ).rerank({ query: 'a', documents });
    expect(results.map(({ index }) => index)).toEqual([2, 1, 0]);
    expect(results.map(({ relevanceScore }) => relevanceScore)).toEqual([1, 1, 1]);
  });
});

describe('a graph', () => {
  it.each<[string, FakeGraph, string]>([
    ['without logits', { output: 'last_hidden_state' }, 'no output logits, only last_hidden_state'],
    ['of three labels', { logitsOf: () => [1, 2, 3] }, '3 labels, expected one or two'],
    ['of integers', { type: 'int64' }, 'outputs of int64, expected float32 or float16'],
    ['without a mask', { inputs: { input_ids: 'int64' } }, 'no input attention_mask'],
    [
      'of a fixed length',
      { shape: ['batch', 512] },
      'input_ids has the shape [batch, 512], expected one that is not fixed',
    ],
    [
      'that reads pictures',
      { inputs: { input_ids: 'int64', attention_mask: 'int64', pixels: 'float32' } },
      'unknown input pixels',
    ],
  ])('%s is refused and released', async (_name, graph, reason) => {
    const { loading, session } = await open(graph);
    const message = expect.stringContaining(`the graph is not a cross-encoder: ${reason}`) as string;
    await expect(loading).rejects.toMatchObject({ code: 'invalid_request', param: 'source', message });
    expect(session.released).toBe(1);
  });
});

it('a tokenizer that knows no pairs is refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'slashv1-reranker-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(source, folder, { recursive: true });
  const path = join(folder, 'tokenizer.json');
  const definition = JSON.parse(await readFile(path, 'utf8')) as object;
  const template = {
    type: 'TemplateProcessing',
    single: [{ Sequence: { id: 'A', type_id: 0 } }],
    pair: [],
    special_tokens: {},
  };
  await writeFile(path, JSON.stringify({ ...definition, post_processor: template }));
  await expect((await open({}, folder)).loading).rejects.toMatchObject({
    param: 'source',
    message: expect.stringContaining('expected a template that has each of two texts once'),
  });
});

describe('2048 documents', () => {
  // 4 to 64 tokens each.
  const documents = Array.from({ length: 2048 }, (_, index) => 'a fox '.repeat(index % 40));

  it('run in batches of a bounded number of tokens', async () => {
    const { rerank, session } = await open();
    const { results, promptTokens } = await rerank({ query: 'a', documents });
    expect(new Set(results.map(({ index }) => index)).size).toBe(2048);
    const runs = session.runs.slice(1);
    for (const [rows, length] of runs) expect(rows * length).toBeLessThanOrEqual(4096);
    const computed = runs.reduce((sum, [rows, length]) => sum + rows * length, 0);
    expect(computed / promptTokens).toBeLessThan(1.1);
  });

  it('let others have their turn while they are encoded', async () => {
    const long = documents.map(() => 'the quick brown fox '.repeat(100));
    let turns = 0;
    let firstRun = 0;
    const count = (): void => {
      turns++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    onTestFinished(() => clearImmediate(next));
    let clock = 0;
    const now = vi.spyOn(performance, 'now').mockImplementation(() => (clock += 4));
    onTestFinished(() => now.mockRestore());
    const { rerank } = await open({ onRun: (run) => (firstRun = run === 2 ? turns : firstRun) });
    await rerank({ query: 'a', documents: long });
    // A slice of 8 ms ends after two documents.
    expect(firstRun).toBeGreaterThan(400);
    // Another request is answered in between.
    const order: string[] = [];
    await Promise.all([
      rerank({ query: 'a', documents: long }).then(() => order.push('long')),
      rerank({ query: 'a', documents: ['a'] }).then(() => order.push('short')),
    ]);
    expect(order).toEqual(['short', 'long']);
  });

  it('stop before the next run when their client leaves', async () => {
    const controller = new AbortController();
    const { rerank, session } = await open({
      onRun(run) {
        if (run === 3) controller.abort();
      },
    });
    await expect(rerank({ query: 'a', documents }, controller.signal)).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(session.runs).toHaveLength(3);
  });

  it('stop while they are encoded, too', async () => {
    const { rerank, session } = await open();
    const controller = new AbortController();
    setImmediate(() => controller.abort());
    const long = documents.map(() => 'the quick brown fox '.repeat(100));
    await expect(rerank({ query: 'a', documents: long }, controller.signal)).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(session.runs).toHaveLength(1);
  });
});
