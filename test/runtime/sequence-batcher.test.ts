import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SequenceBatcher } from '../../src/runtime/encoder/sequence-batcher.ts';
import { FakeEncoder, sequenceOf } from '../categories/embedding/pipeline/fake-encoder.ts';

const limits = { maxTokens: 64, maxRows: 16, batchCost: 8 };

function createBatcher(changes: Partial<typeof limits> = {}) {
  const encoder = new FakeEncoder();
  return { encoder, batcher: new SequenceBatcher(encoder, { ...limits, ...changes }) };
}

describe('SequenceBatcher', () => {
  it('gives each request its vectors, in order', async () => {
    const { batcher } = createBatcher();
    const answers = await Promise.all([
      batcher.encode([sequenceOf(1, 3), sequenceOf(2, 9), sequenceOf(3, 1)]),
      batcher.encode([sequenceOf(4, 2)]),
    ]);
    expect(answers.map((vectors) => vectors.map((vector) => [...vector]))).toEqual([
      [
        [1, 3],
        [2, 9],
        [3, 1],
      ],
      [[4, 2]],
    ]);
  });

  it('runs the texts of requests that come together in one', async () => {
    const { encoder, batcher } = createBatcher();
    await Promise.all(Array.from({ length: 12 }, (_, id) => batcher.encode([sequenceOf(id, 4)])));
    expect(encoder.batches).toEqual([Array.from({ length: 12 }, () => 4)]);
  });

  it('runs texts of like length together, within the budget', async () => {
    const { encoder, batcher } = createBatcher();
    const lengths = [2, 30, 3, 28, 2, 29, 3, 2];
    await Promise.all(lengths.map((length, id) => batcher.encode([sequenceOf(id, length)])));
    expect(encoder.batches.flat().toSorted((a, b) => a - b)).toEqual(lengths.toSorted((a, b) => a - b));
    for (const batch of encoder.batches) {
      expect(batch.length * Math.max(...batch)).toBeLessThanOrEqual(limits.maxTokens);
      expect(Math.max(...batch) - Math.min(...batch)).toBeLessThan(8);
    }
  });

  it('cuts runs so that each takes 25 ms, by the speed of those before', async () => {
    const encoder = new FakeEncoder();
    let clock = 0;
    // 20 tokens in a millisecond.
    encoder.onRun = () => (clock += encoder.batches.at(-1)!.reduce((sum, length) => sum + length, 0) / 20);
    const batcher = new SequenceBatcher(
      encoder,
      { maxTokens: 4096, maxRows: 256, batchCost: 32 },
      () => clock,
    );
    await batcher.encode(Array.from({ length: 1000 }, (_, id) => sequenceOf(id, 16)));
    const tokens = encoder.batches.map((lengths) => lengths.length * 16);
    // Nothing is known of the first; the last has what is left.
    expect(tokens[0]).toBe(4096);
    for (const count of tokens.slice(1, -1)) expect(count).toBeLessThanOrEqual(25 * 22);
    expect(tokens.reduce((sum, count) => sum + count, 0)).toBe(16_000);
  });

  it('cuts runs to half of that while two owners have texts', async () => {
    const encoder = new FakeEncoder();
    let clock = 0;
    encoder.onRun = () => (clock += encoder.batches.at(-1)!.reduce((sum, length) => sum + length, 0) / 20);
    const batcher = new SequenceBatcher(
      encoder,
      { maxTokens: 4096, maxRows: 256, batchCost: 32 },
      () => clock,
    );
    const many = Array.from({ length: 500 }, (_, id) => sequenceOf(id, 16));
    await Promise.all(['a', 'b'].map((owner) => batcher.encode(many, { owner })));
    // Of the first, which may be a fourth of all, nothing is known.
    const [first, ...others] = encoder.batches.map((lengths) => lengths.length * 16);
    expect(first).toBe(1024);
    for (const count of others) expect(count).toBeLessThanOrEqual(12.5 * 22);
  });

  it('is no worse off with speeds and shares that are no whole numbers', async () => {
    const encoder = new FakeEncoder();
    let clock = 0;
    encoder.onRun = () => (clock += encoder.batches.at(-1)!.reduce((sum, length) => sum + length, 0) / 7.7);
    const batcher = new SequenceBatcher(
      encoder,
      { maxTokens: 2001, maxRows: 256, batchCost: 32 },
      () => clock,
    );
    const many = (id: number) => Array.from({ length: 500 }, () => sequenceOf(id, 7));
    const answers = await Promise.all(['a', 'b'].map((owner, id) => batcher.encode(many(id), { owner })));
    expect(answers.map((vectors) => vectors.length)).toEqual([500, 500]);
  });

  it('lets a short request pass a long one', async () => {
    const { encoder, batcher } = createBatcher();
    const long = batcher.encode(Array.from({ length: 2048 }, (_, id) => sequenceOf(id + 10, 4)));
    let short: Promise<unknown> | undefined;
    let runsOfShort = 0;
    encoder.onRun = (run) => {
      if (run === 3)
        short = batcher.encode([sequenceOf(1, 60)]).then(() => (runsOfShort = encoder.batches.length));
    };
    expect(await long).toHaveLength(2048);
    await short;
    expect(runsOfShort).toBeLessThanOrEqual(5);
    expect(encoder.batches.length).toBeGreaterThan(100);
  });

  it('lets the request of one owner pass all those of another', async () => {
    const { encoder, batcher } = createBatcher();
    const many = Array.from({ length: 100 }, () => sequenceOf(2, 40));
    let short: Promise<unknown> | undefined;
    let runsOfShort = 0;
    const all = Array.from({ length: 20 }, () => batcher.encode(many, { owner: 'a' }));
    encoder.onRun = (run) => {
      if (run !== 3) return;
      const encoded = batcher.encode([sequenceOf(1, 3)], { owner: 'b' });
      short = encoded.then(() => (runsOfShort = encoder.batches.length));
    };
    await Promise.all(all);
    await short;
    expect(runsOfShort).toBeLessThanOrEqual(6);
    expect(encoder.batches.length).toBeGreaterThan(500);
  });

  it('an owner with one request gets as much as one with many', async () => {
    const { encoder, batcher } = createBatcher();
    const many = (id: number) => Array.from({ length: 60 }, () => sequenceOf(id, 30));
    await Promise.all([
      ...Array.from({ length: 8 }, () => batcher.encode(many(1), { owner: 'a' })),
      batcher.encode(many(2), { owner: 'b' }),
    ]);
    const first = encoder.firstIds.slice(0, 40).flat();
    expect(first.filter((id) => id === 2).length).toBeGreaterThan(first.length / 3);
  });

  it('serves requests of many texts alike', async () => {
    const { encoder, batcher } = createBatcher();
    const many = (id: number, length: number) => Array.from({ length: 200 }, () => sequenceOf(id, length));
    await Promise.all([batcher.encode(many(1, 4)), batcher.encode(many(2, 30))]);
    const half = encoder.firstIds.slice(0, 40).flat();
    const tokensOf = (id: number) => half.filter((first) => first === id).length;
    expect(tokensOf(1)).toBeGreaterThan(20);
    expect(tokensOf(2)).toBeGreaterThan(20);
  });

  it('drops the texts of a cancelled request before the next run', async () => {
    const { encoder, batcher } = createBatcher();
    const controller = new AbortController();
    encoder.onRun = (run) => {
      if (run === 2) controller.abort();
    };
    const left = batcher.encode(
      Array.from({ length: 500 }, () => sequenceOf(1, 8)),
      controller,
    );
    const kept = batcher.encode(Array.from({ length: 40 }, () => sequenceOf(2, 8)));
    await expect(left).rejects.toMatchObject({ code: 'cancelled' });
    expect(await kept).toHaveLength(40);
    expect(encoder.firstIds.slice(2).flat()).not.toContain(1);
    expect(encoder.batches.flat().length).toBeLessThan(80);
  });

  it('computes nothing for a request that is cancelled before', async () => {
    const { encoder, batcher } = createBatcher();
    await expect(batcher.encode([sequenceOf(1, 3)], { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(encoder.batches).toEqual([]);
  });

  it('fails the requests of a run that fails, and goes on', async () => {
    const { encoder, batcher } = createBatcher({ maxRows: 2 });
    encoder.onRun = (run) => {
      if (run === 1) throw new Error('no memory');
    };
    const answers = await Promise.allSettled(
      [1, 2, 3].map((id) => batcher.encode([sequenceOf(id, 4), sequenceOf(id, 4)])),
    );
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  });

  it('begins again after it was idle', async () => {
    const { batcher } = createBatcher();
    await batcher.encode([sequenceOf(1, 2)]);
    await nextTurn();
    await nextTurn();
    expect((await batcher.encode([sequenceOf(5, 2)]))[0]).toEqual(Float32Array.of(5, 2));
  });
});
