import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  Batcher,
  type Continuation,
  type Generation,
} from '../../../../src/categories/chat/pipeline/batcher.ts';
import { createCopyingDecoder } from '../../../../src/categories/chat/pipeline/copying-decoder.ts';
import { CacheFull, type Decoder, type DecoderCache } from '../../../../src/runtime/decoder.ts';
import { PrefixCache } from '../../../../src/categories/chat/pipeline/prefix-cache.ts';
import {
  continuationOf,
  createRememberingSession,
  type RememberingSessionOptions,
} from './remembering-session.ts';

class Greedy implements Continuation {
  readonly tokens: number[] = [];
  readonly #count: number;
  constructor(count: number) {
    this.#count = count;
  }
  get remaining(): number {
    return this.#count - this.tokens.length;
  }
  next(logits: Float32Array): number | undefined {
    const token = logits.indexOf(Math.max(...logits));
    this.tokens.push(token);
    return this.tokens.length < this.#count ? token : undefined;
  }
}

class Trial implements Generation {
  readonly prompt: Int32Array;
  readonly mostTokens: number;
  readonly continuations: Greedy[];
  readonly reproducible: boolean;
  readonly finished: Promise<void>;
  cancelled = false;
  cachedTokens = -1;
  ends = 0;
  #settle!: { resolve: () => void; reject: (error: unknown) => void };

  constructor(prompt: readonly number[], counts: readonly number[], reproducible = false) {
    this.prompt = Int32Array.from(prompt);
    this.mostTokens = counts.reduce((sum, count) => sum + count, prompt.length);
    this.continuations = counts.map((count) => new Greedy(count));
    this.reproducible = reproducible;
    this.finished = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
  }
  promptEnded(cachedTokens: number): void {
    this.cachedTokens = cachedTokens;
  }
  ended(): void {
    this.ends++;
    this.#settle.resolve();
  }
  failed(error: unknown): void {
    this.ends++;
    this.#settle.reject(error);
  }
}

function start(
  options: RememberingSessionOptions = {},
  { maxRows = 4, maxSequences = 0, ragged = true } = {},
) {
  const shapes: string[] = [];
  const session = createRememberingSession({
    ...options,
    onRun: (rows, count) => shapes.push(`${rows}x${count}`),
  });
  const decoder: Decoder = createCopyingDecoder(session, { ragged });
  const prefixes = new PrefixCache(decoder, { maxSequences, maxBytes: 2 ** 24 });
  return { batcher: new Batcher(decoder, { maxRows, prefixes }), shapes };
}

const variants: [string, RememberingSessionOptions, { ragged?: boolean }][] = [
  ['extended graph', { extended: true }, {}],
  ['plain graph', {}, {}],
  ['without position_ids', { positionIds: false }, {}],
  ['with use_cache_branch', { cacheBranch: true }, {}],
  ['with num_logits_to_keep', { logitsToKeep: true }, {}],
  ['with a sliding window', { extended: true, window: 5 }, {}],
  ['counting its own slots', {}, { ragged: false }],
];

describe.each(variants)('%s', (_name, options, settings) => {
  const { window } = options;

  it('gives every sequence what it would get alone, whatever runs beside it', async () => {
    const token = fc.integer({ min: 0, max: 96 });
    const trial = fc.record({
      prompt: fc.array(token, { minLength: 1, maxLength: 300 }),
      counts: fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 }),
      reproducible: fc.boolean(),
    });
    const trials = fc.array(trial, { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(trials, fc.integer({ min: 0, max: 3 }), async (cases, maxSequences) => {
        const { batcher } = start(options, { ...settings, maxSequences });
        const running = cases.map(
          ({ prompt, counts, reproducible }) => new Trial(prompt, counts, reproducible),
        );
        for (const generation of running) {
          batcher.add(generation);
          await Promise.resolve();
        }
        await Promise.all(running.map(({ finished }) => finished));
        for (const { prompt, continuations, ends } of running) {
          expect(ends).toBe(1);
          for (const { tokens } of continuations)
            expect(tokens).toEqual(continuationOf([...prompt], tokens.length, window));
        }
      }),
      { numRuns: 25 },
    );
  });

  it('continues a kept sequence without computing it again', async () => {
    const { batcher } = start(options, { ...settings, maxSequences: 2 });
    const first = new Trial([1, 2, 3], [5]);
    batcher.add(first);
    await first.finished;
    const history = [1, 2, 3, ...first.continuations[0]!.tokens];
    const second = new Trial([...history, 4, 4], [6]);
    batcher.add(second);
    await second.finished;
    expect(second.cachedTokens).toBe(history.length - 1);
    expect(second.continuations[0]!.tokens).toEqual(continuationOf([...history, 4, 4], 6, window));
  });
});

describe('Batcher', () => {
  it('shares one prefill and one batch among the choices of a request', async () => {
    const { batcher, shapes } = start();
    const generation = new Trial([5, 6, 7], [3, 3, 3, 3, 3]);
    batcher.add(generation);
    await generation.finished;
    expect(shapes).toEqual(['1x3', '5x1', '5x1']);
  });

  it('prefills long prompts in pieces between the steps of others', async () => {
    const { batcher, shapes } = start();
    const short = new Trial([1], [6]);
    const long = new Trial(
      Array.from({ length: 600 }, (_, index) => index % 97),
      [1],
    );
    batcher.add(short);
    batcher.add(long);
    await Promise.all([short.finished, long.finished]);
    expect(shapes.slice(0, 7)).toEqual(['1x1', '1x256', '1x1', '1x256', '1x1', '1x88', '1x1']);
  });

  it('reads short prompts that arrive together before it steps any of them', async () => {
    const { batcher, shapes } = start();
    const trials = [3, 4, 5, 6].map((length) => new Trial(Array(length).fill(length), [3]));
    for (const trial of trials) batcher.add(trial);
    await Promise.all(trials.map(({ finished }) => finished));
    expect(shapes).toEqual(['1x3', '1x4', '1x5', '1x6', '4x1', '4x1']);
  });

  it('computes a reproducible request in the same shapes alone and beside others', async () => {
    const alone = start();
    const single = new Trial([3, 1, 4], [4, 2], true);
    alone.batcher.add(single);
    await single.finished;

    const busy = start({}, { maxSequences: 4 });
    const earlier = new Trial([3, 1, 4], [9]);
    busy.batcher.add(earlier);
    await earlier.finished;
    busy.shapes.length = 0;
    const again = new Trial([3, 1, 4], [4, 2], true);
    busy.batcher.add(again);
    await again.finished;
    expect(busy.shapes).toEqual(alone.shapes);
    expect(again.cachedTokens).toBe(0);
  });

  it('stops a cancelled generation before its next step', async () => {
    const { batcher, shapes } = start();
    const generation = new Trial([1, 2], [1000]);
    generation.promptEnded = () => queueMicrotask(() => (generation.cancelled = true));
    batcher.add(generation);
    await generation.finished;
    expect(shapes.length).toBeLessThanOrEqual(2);
    await batcher.idle();
    expect(generation.ends).toBe(1);
  });

  it('fails only the generation whose continuation throws', async () => {
    const { batcher } = start();
    const good = new Trial([1, 2], [20]);
    const bad = new Trial([3, 4], [20, 20]);
    const next = bad.continuations[1]!.next.bind(bad.continuations[1]);
    let calls = 0;
    bad.continuations[1]!.next = (logits) => {
      if (++calls === 4) throw new Error('no token left');
      return next(logits);
    };
    batcher.add(good);
    batcher.add(bad);
    await expect(bad.finished).rejects.toThrow('no token left');
    await good.finished;
    expect(good.continuations[0]!.tokens).toEqual(continuationOf([1, 2], 20));
    expect(bad.ends).toBe(1);
  });

  it('fails the generations of a broken run and goes on', async () => {
    const decoder = createCopyingDecoder(createRememberingSession());
    const forward = decoder.forward.bind(decoder);
    let runs = 0;
    const flaky: Decoder = {
      ...decoder,
      forward: (...step) => (++runs === 3 ? Promise.reject(new Error('out of memory')) : forward(...step)),
    };
    const batcher = new Batcher(flaky, {
      maxRows: 4,
      prefixes: new PrefixCache(flaky, { maxSequences: 2, maxBytes: 2 ** 20 }),
    });
    const first = new Trial([1], [9]);
    batcher.add(first);
    await expect(first.finished).rejects.toThrow('out of memory');
    const second = new Trial([2], [9]);
    batcher.add(second);
    await second.finished;
    expect(second.continuations[0]!.tokens).toEqual(continuationOf([2], 9));
  });
});

/** A decoder whose caches hold `capacity` tokens together; those that are kept are elsewhere. */
function limited(capacity: number): { readonly decoder: Decoder; readonly refused: () => number } {
  const inner = createCopyingDecoder(createRememberingSession({ extended: true }));
  const live = new Set<DecoderCache>();
  let refused = 0;
  const counted = (cache: DecoderCache): DecoderCache => {
    const release = cache.release.bind(cache);
    live.add(cache);
    return Object.assign(cache, {
      release() {
        live.delete(cache);
        release();
      },
    });
  };
  const tokensOf = (cache: DecoderCache) => cache.lengths.reduce((sum, length) => sum + length, 0);
  return {
    refused: () => refused,
    decoder: {
      ...inner,
      capacity,
      createCache: (rows) => counted(inner.createCache(rows)),
      gather: async (rows, replaced) => counted(await inner.gather(rows, replaced)),
      keep: (row) => inner.gather([row]),
      async forward(cache, tokens, count, counts) {
        // One that has grown has released its smaller buffers.
        live.add(cache);
        const held = [...live].reduce((sum, one) => sum + tokensOf(one), 0);
        if (held + tokens.length > capacity) {
          refused++;
          throw new CacheFull('the cache is full');
        }
        return inner.forward(cache, tokens, count, counts);
      },
    },
  };
}

describe('a cache of fixed size', () => {
  it('holds generations that wait for each other', async () => {
    const { decoder, refused } = limited(60);
    const prefixes = new PrefixCache(decoder, { maxSequences: 4, maxBytes: 2 ** 24 });
    const batcher = new Batcher(decoder, { maxRows: 4, prefixes });
    const running = Array.from({ length: 7 }, (_, index) => new Trial([index, index + 9, 5], [20]));
    for (const generation of running) batcher.add(generation);
    await Promise.all(running.map(({ finished }) => finished));
    for (const { prompt, continuations } of running) {
      expect(continuations[0]!.tokens).toEqual(continuationOf([...prompt], 20));
    }
    expect(refused()).toBe(0);
  });

  it('lets a cancelled generation leave that waits for room', async () => {
    const { decoder } = limited(40);
    const batcher = new Batcher(decoder, {
      maxRows: 4,
      prefixes: new PrefixCache(decoder, { maxSequences: 0, maxBytes: 0 }),
    });
    const first = new Trial([1], [30]);
    const second = new Trial([2], [30]);
    batcher.add(first);
    batcher.add(second);
    second.cancelled = true;
    await second.finished;
    expect(first.ends).toBe(0);
    await first.finished;
  });

  it('fails a generation that is too large for it alone', async () => {
    const { decoder } = limited(20);
    const prefixes = new PrefixCache(decoder, { maxSequences: 2, maxBytes: 2 ** 24 });
    const batcher = new Batcher(decoder, { maxRows: 4, prefixes });
    const large = new Trial([1], [50]);
    batcher.add(large);
    await expect(large.finished).rejects.toMatchObject({ code: 'overloaded' });
    const small = new Trial([2], [5]);
    batcher.add(small);
    await small.finished;
  });
});
