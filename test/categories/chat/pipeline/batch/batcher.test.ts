import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Batcher, type Generation } from '../../../../../src/categories/chat/pipeline/batch/batcher.ts';
import type { Continuation } from '../../../../../src/categories/chat/pipeline/batch/step-logits.ts';
import { createCopyingDecoder } from '../../../../../src/backends/onnx/chat/copying-decoder.ts';
import type { Decoder, DecoderCache } from '../../../../../src/contracts/decoder.ts';
import { CacheFull } from '../../../../../src/runtime/cache-full.ts';
import { PrefixCache } from '../../../../../src/categories/chat/pipeline/batch/prefix-cache.ts';
import {
  continuationOf,
  createRememberingSession,
  type RememberingSessionOptions,
} from '../../../../backends/onnx/chat/remembering-session.ts';
import { runs } from '../../../../thorough.ts';

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
  readonly maxTotalTokens: number;
  readonly continuations: Greedy[];
  readonly reproducible: boolean;
  readonly finished: Promise<void>;
  cancelled = false;
  readonly owner: string | undefined;
  endsAlone: boolean | undefined;
  cachedTokens = -1;
  readLogits: Generation['readLogits'];
  ends = 0;
  #settle!: { resolve: () => void; reject: (error: unknown) => void };

  constructor(prompt: readonly number[], counts: readonly number[], reproducible = false, owner?: string) {
    this.owner = owner;
    this.prompt = Int32Array.from(prompt);
    this.maxTotalTokens = counts.reduce((sum, count) => sum + count, prompt.length);
    this.continuations = counts.map((count) => new Greedy(count));
    this.reproducible = reproducible;
    this.finished = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
  }
  /** Lets its prompt's logits be read. @returns the likeliest token after each token of the prompt */
  score(vocabularySize: number): number[] {
    const likeliest: number[] = [];
    this.readLogits = (logits, position) => {
      expect(position).toBe(likeliest.length);
      for (let at = 0; at < logits.length; at += vocabularySize) {
        const row = logits.subarray(at, at + vocabularySize);
        likeliest.push(row.indexOf(Math.max(...row)));
      }
    };
    return likeliest;
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
  // A run of the graph takes a unit of time.
  const now = (): number => shapes.length;
  return { batcher: new Batcher(decoder, { maxRows, prefixes, now }), shapes, decoder };
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
      isScored: fc.boolean(),
    });
    const trials = fc.array(trial, { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(trials, fc.integer({ min: 0, max: 3 }), async (cases, maxSequences) => {
        const { batcher, decoder } = start(options, { ...settings, maxSequences });
        const running = cases.map(
          ({ prompt, counts, reproducible }) => new Trial(prompt, counts, reproducible),
        );
        const scores = cases.map(({ isScored }, index) =>
          isScored ? running[index]!.score(decoder.vocabularySize) : undefined,
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
        for (const [index, likeliest] of scores.entries()) {
          if (!likeliest) continue;
          const prompt = [...running[index]!.prompt];
          expect(running[index]!.cachedTokens).toBe(0);
          expect(likeliest).toEqual(
            prompt.map((_, at) => continuationOf(prompt.slice(0, at + 1), 1, window)[0]),
          );
        }
      }),
      { numRuns: runs(25) },
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
  it('reads the logits of a large vocabulary in small pieces', async () => {
    const { decoder } = start();
    const vocabularySize = 2 ** 20;
    const sizes: number[] = [];
    const large: Decoder = {
      ...decoder,
      vocabularySize,
      async forwardAll(cache, tokens) {
        sizes.push(tokens.length);
        cache.lengths[0]! += tokens.length;
        return new Float32Array(tokens.length * vocabularySize);
      },
    };
    const prefixes = new PrefixCache(large, { maxSequences: 0, maxBytes: 0 });
    const generation = new Trial(Array.from<number>({ length: 10 }).fill(1), []);
    generation.readLogits = () => {};
    new Batcher(large, { maxRows: 4, prefixes }).add(generation);
    await generation.finished;
    expect(sizes).toEqual([4, 4, 2]);
  });

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
    let steps = 0;
    const flaky: Decoder = {
      ...decoder,
      forward: (...step) => (++steps === 3 ? Promise.reject(new Error('out of memory')) : forward(...step)),
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

/** States of a row's tokens; each depends on those before it, and on the shape of the step that read it. */
class ShapedCache implements DecoderCache {
  readonly states: number[][];
  constructor(states: number[][]) {
    this.states = states;
  }
  get rows(): number {
    return this.states.length;
  }
  get lengths(): Int32Array {
    return Int32Array.from(this.states, ({ length }) => length);
  }
  readonly bytes = 1;
  release(): void {}
}

const vocabularySize = 17;

/** Stands for kernels that round otherwise in every shape and at every place in it, so much that another token comes of it. */
function createShapedDecoder(): { readonly decoder: Decoder; readonly read: () => number } {
  let read = 0;
  const mix = (a: number, b: number): number => Math.imul(a ^ b, 0x9e37_79b1) ^ (a >>> 7);
  const decoder: Decoder<ShapedCache> = {
    vocabularySize,
    ragged: true,
    raggedPrompts: true,
    pieceTokens: 64,
    createCache: (rows = 1) => new ShapedCache(Array.from({ length: rows }, () => [])),
    gather: async (rows) =>
      new ShapedCache(rows.map(({ cache, row, length }) => cache.states[row]!.slice(0, length))),
    async forward(cache, tokens, count, counts) {
      const logits = new Float32Array(cache.rows * vocabularySize);
      for (const [row, states] of cache.states.entries()) {
        const most = counts?.[row] ?? count;
        read += most;
        for (let at = 0; at < most; at++) {
          const shape = (cache.rows * 1000 + count) * 1000 + at;
          const before = states.at(-1) ?? 1;
          states.push(mix(mix(before, tokens[row * count + at]! + 1), shape));
        }
        logits[row * vocabularySize + (((states.at(-1) ?? 0) >>> 0) % vocabularySize)] = 1;
      }
      return logits;
    },
    release: async () => {},
  };
  return { decoder, read: () => read };
}

describe('a reproducible request', () => {
  const begin = () => {
    const { decoder, read } = createShapedDecoder();
    const prefixes = new PrefixCache(decoder, { maxSequences: 3, maxBytes: 100 });
    return { batcher: new Batcher(decoder, { maxRows: 4, prefixes }), read };
  };
  const answerTo = async (batcher: Batcher, trial: Trial) => {
    batcher.add(trial);
    await trial.finished;
    return trial.continuations.map(({ tokens }) => tokens);
  };
  const text = Array.from({ length: 2000 }, (_, index) => (index * index) % 97);

  it('has the same answer whatever was computed before it', async () => {
    const request = fc.record({
      length: fc.oneof(fc.integer({ min: 1, max: 1200 }), fc.constantFrom(64, 64, 128)),
      edited: fc.constantFrom(-1, -1, 3, 300, 700),
      counts: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 2 }),
      reproducible: fc.boolean(),
      follows: fc.boolean(),
    });
    const reused: number[] = [];
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 2, maxLength: 8 }), async (requests) => {
        const { batcher } = begin();
        let history: number[] = [];
        const pending: Promise<void>[] = [];
        for (const { length, edited, counts, reproducible, follows } of requests) {
          const fresh = text.slice(0, length).map((token, at) => (at === edited ? 96 - token : token));
          const trial = new Trial(
            follows ? [...history, ...fresh.slice(0, 20)] : fresh,
            counts,
            reproducible,
          );
          if (trial.prompt.length === 0) continue;
          batcher.add(trial);
          if (!reproducible) {
            pending.push(trial.finished);
            if (length % 2 === 0) continue;
          }
          await trial.finished;
          history = [...trial.prompt, ...trial.continuations[0]!.tokens];
          if (!reproducible) continue;
          reused.push(trial.cachedTokens);
          const again = new Trial([...trial.prompt], counts, true);
          expect(trial.continuations.map(({ tokens }) => tokens)).toEqual(
            await answerTo(begin().batcher, again),
          );
        }
        await Promise.all(pending);
      }),
      { numRuns: runs(150) },
    );
    expect(reused.filter((count) => count > 0).length).toBeGreaterThan(20);
  });

  it.each([2, 64, 65, 126, 830, 833, 896])(
    'reads only the last token of a prompt of %i that was read before',
    async (length) => {
      const { batcher, read } = begin();
      const [first] = await answerTo(batcher, new Trial(text.slice(0, length), [8], true));
      expect(read()).toBe(length + 7);
      const again = new Trial(text.slice(0, length), [8], true);
      expect(await answerTo(batcher, again)).toEqual([first]);
      expect(again.cachedTokens).toBe(length - 1);
      expect(read()).toBe(length + 7 + 1 + 7);
    },
  );

  it.each([2, 66, 130, 500])(
    'that only ends alone has the same answer to a prompt of %i from the cache',
    async (length) => {
      const { batcher } = begin();
      const ask = async () => {
        const trial = new Trial(text.slice(0, length), [8]);
        trial.endsAlone = true;
        return { answer: await answerTo(batcher, trial), cached: trial.cachedTokens };
      };
      const [cold, cached] = [await ask(), await ask()];
      expect(cached.cached).toBe(length - 1);
      expect(cached.answer).toEqual(cold.answer);
    },
  );

  it('reads what follows the whole pieces of another prompt', async () => {
    const { batcher } = begin();
    await answerTo(batcher, new Trial(text.slice(0, 600), [8], true));
    const other = new Trial([...text.slice(0, 590), 1, 2], [8], true);
    await answerTo(batcher, other);
    expect(other.cachedTokens).toBe(576);
  });

  it('reuses what requests without a seed read, and they what it read', async () => {
    const { batcher } = begin();
    await answerTo(batcher, new Trial(text.slice(0, 600), [8]));
    const seeded = new Trial([...text.slice(0, 580), 1, 2], [8], true);
    await answerTo(batcher, seeded);
    expect(seeded.cachedTokens).toBe(576);
    const free = new Trial([...text.slice(0, 580), 1, 2, 3], [8]);
    await answerTo(batcher, free);
    expect(free.cachedTokens).toBe(582);
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

it('gathers nothing for sequences that come and go alone', async () => {
  const inner = createCopyingDecoder(createRememberingSession({}), { ragged: true });
  const rooms: (number | undefined)[] = [];
  let gathered = 0;
  const decoder: Decoder = {
    ...inner,
    createCache: (rows, room) => {
      rooms.push(room);
      return inner.createCache(rows);
    },
    gather: (rows, replaced) => {
      gathered++;
      return inner.gather(rows, replaced);
    },
    keep: async ({ cache }, isLast) => {
      expect(isLast).toBe(true);
      return cache;
    },
  };
  const prefixes = new PrefixCache(decoder, { maxSequences: 1, maxBytes: 2 ** 24 });
  const batcher = new Batcher(decoder, { maxRows: 4, prefixes });
  for (const [first, count] of [
    [1, 20],
    [2, 1],
    [3, 1000],
  ] as const) {
    const generation = new Trial([first, 9, 5], [count]);
    batcher.add(generation);
    await generation.finished;
    expect(generation.continuations[0]!.tokens).toEqual(continuationOf([first, 9, 5], count));
  }
  expect(gathered).toBe(0);
  // Its prompt and its answer, of which 256 tokens are made room for.
  expect(rooms).toEqual([23, 4, 259]);
});

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

describe('owners', () => {
  /** Names of generations in the order in which they end. */
  async function endsOf(generations: Readonly<Record<string, Trial>>, options = {}): Promise<string[]> {
    const { batcher } = start({ extended: true }, options);
    const ends: string[] = [];
    const running = Object.entries(generations).map(async ([name, generation]) => {
      batcher.add(generation);
      await generation.finished;
      ends.push(name);
    });
    await Promise.all(running);
    for (const { prompt, continuations } of Object.values(generations)) {
      for (const { tokens } of continuations)
        expect(tokens).toEqual(continuationOf([...prompt], tokens.length));
    }
    return ends;
  }
  const ofA = (tokens: number, prompt = [1, 2, 3], rows = 1) =>
    new Trial(prompt, Array<number>(rows).fill(tokens), false, 'a');

  it('an answer of a second owner does not wait for those that the first has waiting', async () => {
    const ends = await endsOf({
      a1: ofA(60, [1], 3),
      a2: ofA(60, [2], 3),
      a3: ofA(60, [3], 3),
      b1: new Trial([9, 8], [10], false, 'b'),
    });
    expect(ends).toEqual(['b1', 'a1', 'a2', 'a3']);
  });

  it('an owner has no more sequences at once than a batch, unless one prompt has more', async () => {
    const { batcher, shapes } = start({ extended: true });
    const running = [ofA(5, [1], 3), ofA(5, [2], 3), ofA(5, [3], 7)];
    for (const generation of running) batcher.add(generation);
    await Promise.all(running.map(({ finished }) => finished));
    const rows = shapes.map((shape) => Number(shape.split('x')[0])).filter((count) => count > 1);
    expect(rows).toEqual([...Array<number>(8).fill(3), ...Array<number>(4).fill(7)]);
  });

  it('a short prompt is read between the pieces of a long one', async () => {
    const long = Array.from({ length: 2000 }, (_, index) => index % 90);
    const ends = await endsOf({ a1: ofA(2, long), b1: new Trial([4, 5], [6], false, 'b') });
    expect(ends).toEqual(['b1', 'a1']);
  });

  it('batches of one owner take turns with those of another', async () => {
    const seeded = (owner: string, first: number) => new Trial([first, 7], [40], true, owner);
    const ends = await endsOf({
      a1: seeded('a', 1),
      a2: seeded('a', 2),
      a3: seeded('a', 3),
      a4: seeded('a', 4),
      b1: seeded('b', 5),
    });
    expect(ends[0]).toBe('b1');
  });

  it('a cancelled generation leaves while it waits behind others of its owner', async () => {
    const { batcher } = start({ extended: true });
    const [first, second, third] = [ofA(50, [1], 4), ofA(50, [2], 4), ofA(50, [3], 4)];
    for (const generation of [first, second, third]) batcher.add(generation);
    let isFirstOver = false;
    void first.finished.then(() => (isFirstOver = true));
    third.cancelled = true;
    await third.finished;
    expect(isFirstOver).toBe(false);
    await Promise.all([first.finished, second.finished]);
  });
});
