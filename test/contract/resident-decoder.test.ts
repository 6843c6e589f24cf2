import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Decoder, DecoderCache } from '../../src/contracts/decoder.ts';
import { loadDecoder } from '../../src/backends/onnx/chat/load-decoder.ts';
import { loadWithPrompts } from '../backends/onnx/chat/with-prompts.ts';
import { locateDecoder } from '../../src/folder/model-folder.ts';
import { decoderFolder } from './decoder-golden.ts';
import { feed, nextTokens, prompt, readAlone } from './rows-alone.ts';
import { within } from '../tolerance.ts';

// Graphs of onnxruntime-genai's builder, with and without a window, and exports whose attention is rewritten.
const models = ['llama-gqa', 'mistral-gqa', 'qwen3-gqa', 'llama', 'qwen2', 'phi3'] as const;

const batchTolerance = within(1e-5);
/** Steps of several tokens round differently too. */
const verifyTolerance = within(5e-5);
/** Longer than the windows of the miniatures, and than the first capacity. */
const lengths = [70, 41, 64, 3];

const cases = models.flatMap((name) => [false, true].map((hasPrompts) => [name, hasPrompts] as const));

describe.each(cases)('%s, prompts by a second session: %s', (name, hasPrompts) => {
  /** How far a logit of a batch may be from the same one alone; products of one row and of several round differently. */
  const tolerance = hasPrompts ? verifyTolerance : batchTolerance;
  let decoder: Decoder;
  let expected: readonly (readonly Float32Array[])[];

  beforeAll(async () => {
    const path = locateDecoder(decoderFolder(name));
    const alone = await loadDecoder(path, { threads: 1, optimize: true });
    expected = await readAlone(alone, lengths);
    if (hasPrompts) await alone.release();
    decoder = hasPrompts ? await loadWithPrompts(path) : alone;
  });
  afterAll(() => decoder.release());

  it('reads prompts of different lengths together', async () => {
    expect(decoder.raggedPrompts).toBe(true);
    const cache = await readTogether();
    expect([...cache.lengths]).toEqual(lengths);
    cache.release();
  });

  it('refuses tokens that the model does not have, and goes on', async () => {
    const cache = decoder.createCache();
    await feed(decoder, cache, prompt(lengths[1]!, 1));
    for (const token of [-1, decoder.vocabularySize]) {
      await expect(decoder.forward(cache, Int32Array.of(token), 1)).rejects.toThrow(RangeError);
    }
    for (const index of nextTokens.keys()) await step(cache, [1], index);
    cache.release();
  });

  it('goes on with rows that join, leave and change places', async () => {
    const first = await readTogether();
    await step(first, [0, 1, 2, 3], 0);
    const fewer = await decoder.gather([rowOf(first, 3), rowOf(first, 1)], first);
    await step(fewer, [3, 1], 1);
    const late = decoder.createCache();
    await feed(decoder, late, prompt(lengths[2]!, 2));
    for (const token of nextTokens.slice(0, 2)) await feed(decoder, late, Int32Array.of(token + 2));
    const more = await decoder.gather([rowOf(fewer, 0), rowOf(fewer, 1), rowOf(late, 0)], fewer);
    late.release();
    for (let index = 2; index < nextTokens.length; index++) await step(more, [3, 1, 2], index);
    more.release();
  });

  it('goes on from a part of a row, and several times', async () => {
    const cache = decoder.createCache();
    await feed(decoder, cache, Int32Array.from([...prompt(lengths[1]!, 1), 9, 9, 9]));
    const choices = await decoder.gather([0, 0].map((row) => ({ cache, row, length: lengths[1]! })));
    cache.release();
    for (const index of nextTokens.keys()) await step(choices, [1, 1], index);
    choices.release();
  });

  it('keeps a cache that is given up, or a copy of one that is much larger', async () => {
    const tight = decoder.createCache(1, lengths[1]! + 20);
    const loose = decoder.createCache(1, 1000);
    for (const cache of [tight, loose]) await feed(decoder, cache, prompt(lengths[1]!, 1));
    expect(await decoder.keep!({ cache: tight, row: 0 })).not.toBe(tight);
    expect(await decoder.keep!({ cache: tight, row: 0 }, true)).toBe(tight);
    const copy = await decoder.keep!({ cache: loose, row: 0 }, true);
    expect(copy.bytes).toBeLessThan(loose.bytes);
    for (const kept of [tight, copy]) {
      const cache = await decoder.gather([{ cache: kept, row: 0 }], undefined, 300);
      const { bytes } = cache;
      for (const index of nextTokens.keys()) await step(cache, [1], index);
      expect(cache.bytes).toBe(bytes);
    }
  });

  it('verifies several tokens at once, and takes back those that are not kept', async () => {
    const cache = decoder.createCache();
    await feed(decoder, cache, prompt(lengths[1]!, 1));
    for (const [start, kept] of [
      [0, 1],
      [1, 2],
      [3, 2],
      [5, 1],
    ] as const) {
      const draft = Int32Array.from({ length: 4 }, (_, index) =>
        index < kept ? nextTokens[start + index]! + 1 : 5,
      );
      await decoder.verify!(cache, draft, (logits) => {
        for (let index = 0; index < kept; index++) {
          expectRow(logits, index, expected[1]![start + index + 1]!, verifyTolerance);
        }
        return kept;
      });
      expect([...cache.lengths]).toEqual([lengths[1]! + start + kept]);
    }
    cache.release();
  });

  /** Logits of the only row. */
  async function readTogether(): Promise<DecoderCache> {
    const cache = decoder.createCache(lengths.length);
    const longest = Math.max(...lengths);
    const tokens = new Int32Array(lengths.length * longest);
    for (const [row, length] of lengths.entries()) tokens.set(prompt(length, row), row * longest);
    const logits = await decoder.forward(cache, tokens, longest, lengths);
    for (const row of lengths.keys()) expectRow(logits, row, expected[row]![0]!);
    return cache;
  }

  /** @param rows which prompt each row of the cache goes on with */
  async function step(cache: DecoderCache, rows: readonly number[], index: number): Promise<void> {
    const tokens = Int32Array.from(rows, (row) => nextTokens[index]! + row);
    const logits = await decoder.forward(cache, tokens, 1);
    for (const [place, row] of rows.entries()) expectRow(logits, place, expected[row]![index + 1]!);
  }

  function expectRow(logits: Float32Array, row: number, wanted: Float32Array, most = tolerance): void {
    const size = decoder.vocabularySize;
    let apart = 0;
    for (let token = 0; token < size; token++) {
      apart = Math.max(apart, Math.abs(logits[row * size + token]! - wanted[token]!));
    }
    expect(apart).toBeLessThan(most);
  }
});

function rowOf(cache: DecoderCache, row: number) {
  return { cache, row };
}
