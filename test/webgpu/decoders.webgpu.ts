import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Decoder, DecoderCache } from '../../src/contracts/decoder.ts';
import { loadDecoder } from '../../src/backends/onnx/chat/load-decoder.ts';
import { locateDecoder } from '../../src/folder/model-folder.ts';
import { decoderFolder } from '../contract/decoder-golden.ts';

// Graphs of onnxruntime-genai's builder, with and without a window, and exports whose attention is rewritten.
const models = ['llama-gqa', 'mistral-gqa', 'qwen3-gqa', 'llama', 'qwen2', 'phi3'] as const;

const tolerance = 1e-4;
const mostBytes = 16 * 1024;
/** Longer than a window, than the first capacity, and than what a software renderer reads right at once. */
const lengths = [70, 41, 3];
const prompt = (row: number) =>
  Int32Array.from({ length: lengths[row]! }, (_, index) => (index * 37 + row * 101 + 11) % 300);
const nextTokens = [7, 90, 13, 250];

describe.each(models)('%s on the device', (name) => {
  let decoder: Decoder;
  let expected: readonly (readonly Float32Array[])[];

  beforeAll(async () => {
    const path = locateDecoder(decoderFolder(name));
    const cpu = await loadDecoder(path, { threads: 1, optimize: true });
    const followed: Float32Array[][] = [];
    for (const row of lengths.keys()) followed.push(await followPrompt(cpu, row));
    expected = followed;
    await cpu.release();
    decoder = await loadDecoder(path, { threads: 1, device: 'webgpu' });
  });
  afterAll(() => decoder.release());

  it('gives the logits of the CPU, row by row', async () => {
    expect(decoder.traffic).toBeDefined();
    for (const row of lengths.keys()) {
      const logits = await followPrompt(decoder, row);
      for (const [index, values] of logits.entries()) expectRow(values, 0, expected[row]![index]!);
    }
  });

  it('gives them also for rows that join, leave, change places and go on several times', async () => {
    const caches: DecoderCache[] = [];
    for (const row of lengths.keys()) caches.push(await read(row));
    const joined = await decoder.gather(caches.map((cache) => ({ cache, row: 0 })));
    for (const cache of caches) cache.release();
    await step(joined, [0, 1, 2], 0);
    const fewer = await decoder.gather(
      [2, 1].map((row) => ({ cache: joined, row })),
      joined,
    );
    await step(fewer, [2, 1], 1);
    const twice = await decoder.gather(
      [1, 1].map((row) => ({ cache: fewer, row })),
      fewer,
    );
    await step(twice, [1, 1], 2);
    const shorter = await decoder.gather([{ cache: twice, row: 0, length: lengths[1]! }]);
    twice.release();
    await step(shorter, [1], 0);
    shorter.release();
  });

  it('picks the largest logits there: at most 16 KB per row and step cross the bus', async () => {
    const cache = await read(0);
    const [bytes, rowSteps] = [decoder.traffic!.bytes, decoder.traffic!.rowSteps];
    for (const [index, token] of nextTokens.entries()) {
      const logits = await decoder.forwardLargest!(cache, Int32Array.of(token), 1);
      const { tokens, logits: largest, mass } = logits.largest(0);
      const wanted = expected[0]![index + 1]!;
      const order = [...wanted.keys()].sort((a, b) => wanted[b]! - wanted[a]!);
      expect([...tokens.subarray(0, 3)]).toEqual(order.slice(0, 3));
      for (const [place, id] of tokens.entries()) {
        expect(Math.abs(largest[place]! - wanted[id]!)).toBeLessThan(tolerance);
      }
      const all = wanted.reduce((sum, logit) => sum + Math.exp(logit - wanted[order[0]!]!), 0);
      expect(mass / all).toBeCloseTo(1, 4);
      if (index === nextTokens.length - 1) {
        const perStep = (decoder.traffic!.bytes - bytes) / (decoder.traffic!.rowSteps - rowSteps);
        expect(perStep).toBeGreaterThan(256 * 8);
        expect(perStep).toBeLessThan(mostBytes);
        expectRow(await logits.all(0), 0, wanted);
      }
    }
    cache.release();
  });

  async function read(row: number): Promise<DecoderCache> {
    const cache = decoder.createCache();
    await decoder.forward(cache, prompt(row), lengths[row]!);
    return cache;
  }

  /** @param rows which prompt each row of the cache goes on with */
  async function step(cache: DecoderCache, rows: readonly number[], index: number): Promise<void> {
    const tokens = new Int32Array(rows.length).fill(nextTokens[index]!);
    const logits = await decoder.forward(cache, tokens, 1);
    for (const [place, row] of rows.entries()) expectRow(logits, place, expected[row]![index + 1]!);
  }

  function expectRow(logits: Float32Array, row: number, wanted: Float32Array): void {
    let most = 0;
    for (const [token, logit] of wanted.entries()) {
      most = Math.max(most, Math.abs(logits[row * wanted.length + token]! - logit));
    }
    expect(most).toBeLessThan(tolerance);
  }
});

/** Logits after a prompt and after each of the next tokens. */
async function followPrompt(decoder: Decoder, row: number): Promise<Float32Array[]> {
  const cache = decoder.createCache();
  const logits = [Float32Array.from(await decoder.forward(cache, prompt(row), lengths[row]!))];
  for (const token of nextTokens) {
    logits.push(Float32Array.from(await decoder.forward(cache, Int32Array.of(token), 1)));
  }
  cache.release();
  return logits;
}
