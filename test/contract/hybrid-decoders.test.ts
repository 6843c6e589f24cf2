import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Decoder, DecoderCache } from '../../src/contracts/decoder.ts';
import { Batcher, type Generation } from '../../src/categories/chat/pipeline/batch/batcher.ts';
import { loadDecoder } from '../../src/backends/onnx/chat/load-decoder.ts';
import { PrefixCache } from '../../src/categories/chat/pipeline/batch/prefix-cache.ts';
import { locateDecoder } from '../../src/folder/model-folder.ts';
import { decoderFolder } from './decoder-golden.ts';
import { feed, nextTokens, prompt, readAlone } from './rows-alone.ts';
import { someRows } from '../thorough.ts';
import { countSure, marginOf, within } from '../tolerance.ts';

// Decoders of which some layers keep a state instead of keys and values, as they were exported and rewritten. Their
// answers are compared with the reference's in decoders.test.ts.
const cases = [
  ['lfm2', false],
  ['lfm2', true],
  ['lfm2-gqa', true],
  ['granite-hybrid', false],
  ['granite-hybrid', true],
  ['falcon-h1', true],
  ['nemotron-h', true],
  ['qwen3.5', false],
  ['qwen3.5', true],
  ['qwen3-next', true],
  ['olmo-hybrid', true],
] as const;

/** How far a logit of a batch may be from the same one alone; products of one row and of several round differently. */
const exact = 1e-5;
const tolerance = within(exact, 10);
/** Some are shorter than the convolutions are wide, some longer than the first capacity. */
const lengths = [70, 41, 2, 1];

describe.each(someRows(cases, 2))('%s, optimize: %s', (name, optimize) => {
  let decoder: Decoder;
  /** Logits of each prompt and the tokens after it, all alone. */
  let expected: readonly (readonly Float32Array[])[];

  beforeAll(async () => {
    decoder = await loadDecoder(locateDecoder(decoderFolder(name)), { threads: 1, optimize });
    expected = await readAlone(decoder, lengths);
  });
  afterAll(() => decoder.release());

  it('reads prompts alone, and says that its sequences are whole ones', () => {
    expect(decoder).toMatchObject({ ragged: true, raggedPrompts: false, cutsSequences: false });
    expect(decoder.verify).toBeUndefined();
  });

  it('steps rows of different lengths together, that join, leave and change places', async () => {
    const caches: DecoderCache[] = [];
    for (const row of lengths.keys()) caches.push(await read(row, 0));
    const all = await decoder.gather(caches.map((cache) => rowOf(cache, 0)));
    for (const cache of caches) cache.release();
    await step(all, [0, 1, 2, 3], 0);
    await step(all, [0, 1, 2, 3], 1);
    const fewer = await decoder.gather([rowOf(all, 3), rowOf(all, 1)], all);
    await step(fewer, [3, 1], 2);
    const late = await read(2, 3);
    const more = await decoder.gather([rowOf(fewer, 0), rowOf(fewer, 1), rowOf(late, 0)], fewer);
    late.release();
    await step(more, [3, 1, 2], 3);
    const twice = await decoder.gather([rowOf(more, 2), rowOf(more, 2), rowOf(more, 0)]);
    await step(more, [3, 1, 2], 4);
    await step(twice, [2, 2, 3], 4);
    await step(twice, [2, 2, 3], 5);
    twice.release();
    more.release();
  });

  it('reads prompts in pieces', async () => {
    const whole = prompt(lengths[0]!, 0);
    for (const size of [1, 3, 32]) {
      const cache = decoder.createCache();
      let logits = new Float32Array(0);
      for (let at = 0; at < whole.length; at += size)
        logits = await feed(decoder, cache, whole.slice(at, at + size));
      expect(distance(logits, expected[0]![0]!)).toBeLessThan(5 * tolerance);
      cache.release();
    }
  });

  it('starts anew with a prompt of several rows', async () => {
    const cache = decoder.createCache(2);
    const logits = await decoder.forward(cache, Int32Array.of(...prompt(41, 1), ...prompt(41, 1)), 41);
    const { vocabularySize } = decoder;
    for (const row of [0, 1]) {
      const own = logits.subarray(row * vocabularySize, (row + 1) * vocabularySize);
      expect(distance(own, expected[1]![0]!)).toBeLessThan(tolerance);
    }
    cache.release();
  });

  it('goes on exactly from sequences that it kept whole, and from nothing less', async () => {
    const prefixes = new PrefixCache(decoder, { maxSequences: 4, maxBytes: 2 ** 24 });
    const kept = prompt(lengths[0]!, 0);
    const cache = await read(0, 0);
    await prefixes.keep(kept, rowOf(cache, 0));
    const longer = Int32Array.of(...kept, nextTokens[0]!, nextTokens[1]!);
    expect(await prefixes.find(kept)).toBeUndefined();
    expect(await prefixes.find(Int32Array.of(...kept.slice(0, -1), 5, 6))).toBeUndefined();
    for (let time = 0; time < 2; time++) {
      const found = (await prefixes.find(longer))!;
      expect(found.length).toBe(kept.length);
      // The same shapes as alone, so the same numbers.
      expect(await feed(decoder, found.cache, longer.subarray(kept.length, -1))).toEqual(expected[0]![1]);
      expect(await feed(decoder, found.cache, longer.subarray(-1))).toEqual(expected[0]![2]);
      await prefixes.keep(longer, rowOf(found.cache, 0));
      found.cache.release();
    }
    // The shorter one is kept beside the longer one, which can't be cut down to it.
    expect(prefixes.sharedTokens(Int32Array.of(...kept, 5, 6))).toBe(kept.length);
    expect(prefixes.sharedTokens(Int32Array.of(...longer, 5))).toBe(longer.length);
    cache.release();
  });

  it('answers together what it answers alone, and goes on with whole conversations', async () => {
    const prompts = lengths.map((length, row) => prompt(length, row));
    const alone: Answer[] = [];
    for (const one of prompts) alone.push(...(await answer([one])));
    const prefixes = new PrefixCache(decoder, { maxSequences: 8, maxBytes: 2 ** 24 });
    const together = await answer(prompts, prefixes);
    together.forEach((one, row) => expectSame(one, alone[row]!, exact));
    // The last token was chosen and not fed.
    const next = prompts.map((one, row) => Int32Array.of(...one, ...together[row]!.tokens, 5, 6));
    const reread: Answer[] = [];
    for (const one of next) reread.push(...(await answer([one])));
    const continued = await answer(next, prefixes);
    for (const [row, one] of continued.entries()) {
      expect(one.cachedTokens).toBe(next[row]!.length - 3);
      expectSame(one, reread[row]!, 5 * exact);
    }
  });

  it('keeps the states of a step that fails', async () => {
    const cache = await read(1, 0);
    await expect(decoder.forward(cache, Int32Array.of(decoder.vocabularySize + 9), 1)).rejects.toThrow();
    await step(cache, [1], 0);
    cache.release();
  });

  /** Compares greedy answers up to a token that rounding may decide. */
  function expectSame(answered: Answer, wanted: Answer, most: number): void {
    const sure = countSure(wanted.margins, most);
    expect(answered.tokens.slice(0, sure)).toEqual(wanted.tokens.slice(0, sure));
    if (sure < wanted.tokens.length) return;
    expect(answered.tokens).toHaveLength(sure);
    expect(distance(answered.logits, wanted.logits)).toBeLessThan(within(most, 10));
  }

  /** Greedy answers of ten tokens to prompts that come at once. */
  async function answer(
    prompts: readonly Int32Array[],
    prefixes = new PrefixCache(decoder, { maxSequences: 0, maxBytes: 0 }),
  ): Promise<readonly Answer[]> {
    const batcher = new Batcher(decoder, { maxRows: 8, prefixes });
    const answers = prompts.map((one) => {
      const result: Answer = { tokens: [], margins: [], cachedTokens: 0, logits: new Float32Array(0) };
      const generation = {
        prompt: one,
        maxTotalTokens: one.length + 10,
        reproducible: false,
        cancelled: false,
        continuations: [
          {
            get remaining() {
              return 10 - result.tokens.length;
            },
            next(logits: Float32Array) {
              result.logits = Float32Array.from(logits);
              result.margins.push(marginOf(logits));
              result.tokens.push(logits.indexOf(Math.max(...logits)));
              return this.remaining > 0 ? result.tokens.at(-1) : undefined;
            },
          },
        ],
        promptEnded: (cachedTokens: number) => (result.cachedTokens = cachedTokens),
        ended: () => {},
        failed: (error: unknown) => {
          throw error;
        },
      } satisfies Generation;
      batcher.add(generation);
      return result;
    });
    await batcher.idle();
    return answers;
  }

  async function read(row: number, steps: number): Promise<DecoderCache> {
    const cache = decoder.createCache();
    await feed(decoder, cache, prompt(lengths[row]!, row));
    for (const token of nextTokens.slice(0, steps)) await feed(decoder, cache, Int32Array.of(token + row));
    return cache;
  }

  async function step(cache: DecoderCache, rows: readonly number[], index: number): Promise<void> {
    const { vocabularySize } = decoder;
    const tokens = Int32Array.from(rows, (row) => nextTokens[index]! + row);
    const logits = await decoder.forward(cache, tokens, 1);
    for (const [at, row] of rows.entries()) {
      const own = logits.subarray(at * vocabularySize, (at + 1) * vocabularySize);
      expect(distance(own, expected[row]![index + 1]!)).toBeLessThan(tolerance);
    }
  }
});

interface Answer {
  readonly margins: number[];
  readonly tokens: number[];
  cachedTokens: number;
  /** Those that chose the last token. */
  logits: Float32Array;
}

function rowOf(cache: DecoderCache, row: number) {
  return { cache, row };
}

function distance(actual: Float32Array, expected: Float32Array): number {
  let most = actual.length === expected.length ? 0 : Infinity;
  for (const [at, logit] of actual.entries()) most = Math.max(most, Math.abs(logit - expected[at]!));
  return most;
}
