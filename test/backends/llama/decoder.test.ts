import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Decoder, DecoderCache } from '../../../src/contracts/decoder.ts';
import { CacheFull } from '../../../src/runtime/cache-full.ts';
import { createLlamaDecoder } from '../../../src/runtime/llama/llama-decoder.ts';
import { loadLlamaModel } from '../../../src/runtime/llama/llama-model.ts';
import { within } from '../../tolerance.ts';
import { tinyChatAsGguf } from './tiny-gguf.ts';
import { missingLlama, needs } from '../../needs.ts';

/** Kernels sum otherwise for other slots and shapes; a token more or less changes logits by 1 and more. */
function expectClose(found: Float32Array, expected: Float32Array): void {
  const distances = found.map((logit, token) => Math.abs(logit - expected[token]!));
  expect(Math.max(...distances)).toBeLessThan(within(1e-2));
}

describe('a decoder over llama.cpp', { ...needs(missingLlama), timeout: 120_000 }, () => {
  let folder: string;
  let decoder: Decoder;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'slashv1-gguf-'));
    const path = join(folder, 'tiny-chat.gguf');
    writeFileSync(path, tinyChatAsGguf());
    const model = await loadLlamaModel(path, { gpu: 'none' });
    decoder = createLlamaDecoder(model, { cacheTokens: 256, maxRows: 2, threads: 1 });
  });
  afterEach(async () => {
    await decoder.release();
    rmSync(folder, { recursive: true });
  });

  const text = (first: number, length: number) => Int32Array.from({ length }, (_, index) => first + index);
  const read = async (cache: DecoderCache, tokens: Int32Array) =>
    (await decoder.forward(cache, tokens, tokens.length)).slice();
  const begin = async (tokens: Int32Array) => {
    const cache = decoder.createCache();
    await read(cache, tokens);
    return cache;
  };
  const keep = async (tokens: Int32Array) => {
    const cache = await begin(tokens);
    const kept = await decoder.keep!({ cache, row: 0 });
    cache.release();
    return kept;
  };
  const next = Int32Array.of(7);

  it('continues a sequence with the same logits after it left the cache', async () => {
    const whole = await begin(text(20, 100));
    const expected = await read(whole, next);
    whole.release();
    const kept = await keep(text(20, 100));
    expect(kept.bytes).toBeGreaterThan(100 * 100);
    const here = await decoder.gather([{ cache: kept, row: 0 }]);
    expectClose(await read(here, next), expected);
    here.release();
    expect(kept.minBeginning).toBe(0);
    (await begin(text(300, 5))).release();
    expect(kept.minBeginning).toBeGreaterThan(0);
    const back = await decoder.gather([{ cache: kept, row: 0 }]);
    expectClose(await read(back, next), expected);
  });

  it('gives the logits after each token of a piece', async () => {
    const [tokens, cache, other] = [text(20, 9), decoder.createCache(), decoder.createCache()];
    await decoder.forwardAll!(cache, tokens.subarray(0, 4));
    const logits = (await decoder.forwardAll!(cache, tokens.subarray(4))).slice();
    await read(other, tokens.subarray(0, 4));
    for (const [index, token] of tokens.subarray(4).entries()) {
      const alone = await read(other, Int32Array.of(token));
      expectClose(logits.slice(index * alone.length, (index + 1) * alone.length), alone);
    }
    expect([...cache.lengths]).toEqual([9]);
  });

  it('continues a part of it', async () => {
    const start = await begin(text(20, 60));
    const expected = await read(start, next);
    start.release();
    const longer = await begin(text(20, 61));
    expect(Math.abs((await read(longer, next))[0]! - expected[0]!)).toBeGreaterThan(0.1);
    longer.release();
    const kept = await keep(text(20, 100));
    (await begin(text(300, 5))).release();
    const part = await decoder.gather([{ cache: kept, row: 0, length: 60 }]);
    expect([...part.lengths]).toEqual([60]);
    expectClose(await read(part, next), expected);
  });

  it('gives room to others, and says so where there is none for what was kept', async () => {
    const kept = await keep(text(20, 200));
    const other = await begin(text(300, 200));
    await expect(decoder.gather([{ cache: kept, row: 0 }])).rejects.toThrow(CacheFull);
    await read(other, text(30, 56));
    await expect(read(other, next)).rejects.toThrow(CacheFull);
    other.release();
    const back = await decoder.gather([{ cache: kept, row: 0 }]);
    expect([...back.lengths]).toEqual([200]);
    await read(back, next);
  });
});
