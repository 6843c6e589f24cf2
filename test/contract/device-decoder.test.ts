import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Batcher } from '../../src/categories/chat/pipeline/batch/batcher.ts';
import type { Continuation } from '../../src/categories/chat/pipeline/batch/step-logits.ts';
import type { Decoder, DecoderCache } from '../../src/contracts/decoder.ts';
import { loadDecoder, loadDeviceDecoder } from '../../src/backends/onnx/chat/load-decoder.ts';
import { readInPieces } from '../../src/backends/onnx/chat/piecewise-decoder.ts';
import { PrefixCache } from '../../src/categories/chat/pipeline/batch/prefix-cache.ts';
import type { LargestLogits } from '../../src/core/sampling/largest-logits.ts';
import { createSampler, type Sampler, type SamplerParameters } from '../../src/core/sampling/sampler.ts';
import { locateDecoder } from '../../src/folder/model-folder.ts';
import { decoderFolder } from './decoder-golden.ts';
import { isNoisy, within } from '../tolerance.ts';
import { needs } from '../needs.ts';

// The decoder for devices runs on the CPU, too: all but the device's own arithmetic is tested here.
const path = locateDecoder(decoderFolder('llama-gqa'));
const prompts = [70, 41, 3].map((length, row) =>
  Int32Array.from({ length }, (_, index) => (index * 37 + row * 101 + 11) % 300),
);

let here: Decoder;
let device: Decoder;
beforeAll(async () => {
  // With more threads than heads, attention has the kernel that it has on devices.
  here = await loadDecoder(path, { threads: 3, optimize: true });
  device = (await loadDeviceDecoder(path, { threads: 1 }))!;
});
afterAll(async () => {
  await here.release();
  await device.release();
});

/** Samples as a request does. */
class Sampled implements Continuation {
  readonly tokens: number[] = [];
  readonly takesLargest: boolean;
  readonly #sampler: Sampler;
  constructor(parameters: SamplerParameters) {
    this.#sampler = createSampler(parameters, { vocabularySize: here.vocabularySize, seed: 9 });
    this.takesLargest = !this.#sampler.needsAllLogits;
  }
  get remaining(): number {
    return 12 - this.tokens.length;
  }
  next(logits: Float32Array): number | undefined {
    return this.#take(this.#sampler.sample(logits));
  }
  nextOfLargest(largest: LargestLogits): number | undefined {
    const token = this.#sampler.sampleLargest(largest);
    return token === -1 ? -1 : this.#take(token);
  }
  #take(token: number): number | undefined {
    this.#sampler.accept(token);
    this.tokens.push(token);
    return this.tokens.length < 12 ? token : undefined;
  }
}

async function generate(decoder: Decoder, parameters: readonly SamplerParameters[]): Promise<number[][]> {
  const prefixes = new PrefixCache(decoder, { maxSequences: 2, maxBytes: 2 ** 20 });
  const batcher = new Batcher(decoder, { maxRows: 4, prefixes });
  const failures: unknown[] = [];
  const continuations = parameters.map((each) => new Sampled(each));
  for (const [index, continuation] of continuations.entries()) {
    batcher.add({
      prompt: prompts[index % prompts.length]!,
      continuations: [continuation],
      maxTotalTokens: prompts[0]!.length + 12,
      reproducible: false,
      cancelled: false,
      promptEnded: () => undefined,
      ended: () => undefined,
      failed: (error) => failures.push(error),
    });
  }
  await batcher.idle();
  expect(failures).toEqual([]);
  return continuations.map(({ tokens }) => tokens);
}

describe('a decoder whose caches stay on a device', () => {
  // Noise changes candidates otherwise than logits, which are the same numbers.
  it(
    'goes on with sequences that join and leave as one in this process does, whatever the samplers',
    needs(isNoisy ? 'numbers are changed on purpose' : undefined),
    async () => {
      const parameters: SamplerParameters[] = [
        { temperature: 0 },
        {},
        { topK: 5, topP: 0.9 },
        { temperature: 1, minP: 0 },
        { minP: 0, topP: 0.5 },
        { mirostatMode: 2 },
      ];
      expect(await generate(device, parameters)).toEqual(await generate(here, parameters));
    },
  );

  it('brings 2 KB of a row where they are enough, and whole rows only for those that need them', async () => {
    expect(await bytesPerStep([{ temperature: 0 }, {}])).toBeLessThan(256 * 8 + 1024);
    const needing = await bytesPerStep([{ temperature: 0 }, { mirostatMode: 1 }]);
    expect(needing).toBeGreaterThan(256 * 8 + (here.vocabularySize * 4) / 4);
  });

  it('makes the mask of lengths and gives the same logits in pieces and after cuts', async () => {
    const expected = await read(here, prompts[0]!);
    expect(await read(device, prompts[0]!)).toEqual(expected);
    const pieces = await read(readInPieces(device), prompts[0]!);
    expect(Math.max(...pieces.map((logit, token) => Math.abs(logit - expected[token]!)))).toBeLessThan(
      within(1e-5),
    );
    const long = await cacheOf(device, prompts[0]!);
    const cut = await device.gather([{ cache: long, row: 0, length: 20 }], long);
    expect([...cut.lengths]).toEqual([20]);
    const [rest] = [prompts[0]!.subarray(20)];
    const after = await device.forward(cut, rest!, rest!.length);
    const most = Math.max(...expected.map((logit, token) => Math.abs(logit - after[token]!)));
    expect(most).toBeLessThan(within(1e-5));
    cut.release();
  });
});

async function bytesPerStep(parameters: readonly SamplerParameters[]): Promise<number> {
  const { bytes, rowSteps } = { ...device.traffic! };
  await generate(device, parameters);
  return (device.traffic!.bytes - bytes) / (device.traffic!.rowSteps - rowSteps);
}

async function cacheOf(decoder: Decoder, prompt: Int32Array): Promise<DecoderCache> {
  const cache = decoder.createCache();
  await decoder.forward(cache, prompt, prompt.length);
  return cache;
}

async function read(decoder: Decoder, prompt: Int32Array): Promise<Float32Array> {
  const cache = decoder.createCache();
  const logits = Float32Array.from(await decoder.forward(cache, prompt, prompt.length));
  cache.release();
  return logits;
}
