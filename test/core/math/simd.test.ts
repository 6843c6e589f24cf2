import { describe, expect, it } from 'vitest';
import { createResampler } from '../../../src/core/audio/resample.ts';
import { withoutSimd, openSimd, weightBits, type Simd } from '../../../src/core/math/simd.ts';
import { resample } from '../../../src/core/vision/resample.ts';

const mebibyte = 2 ** 20;

/** Runs `use` on equal memory with SIMD and without: both answer the same and leave the same bytes behind. */
function expectSame(use: (simd: Simd) => number[], left: number): void {
  const noise = new Int32Array(mebibyte / 4);
  for (let at = 0, seed = 1; at < noise.length; at++)
    noise[at] = seed = (Math.imul(seed, 48_271) + 11) & 0x7fffffff;
  const [fast, plain] = [openSimd(), withoutSimd(mebibyte)].map((simd) => {
    simd.integers.set(noise);
    return { results: use(simd), bytes: Buffer.from(simd.bytes.subarray(0, left)) };
  });
  expect(fast!.results).toEqual(plain!.results);
  expect(fast!.bytes.equals(plain!.bytes)).toBe(true);
  expect(fast!.bytes.equals(Buffer.from(noise.buffer, 0, left))).toBe(false);
}

describe('loops in WebAssembly', () => {
  it('are not those that stand in for them', () => {
    expect(String(openSimd().dot)).toContain('native code');
  });

  it('sum products to the bit', () => {
    expectSame(({ numbers, dot }) => {
      for (let at = 0; at < 2000; at++) numbers[at] = Math.sin(at * at) * 10 ** (at % 9);
      return [dot(0, 8000, 172), dot(24, 8008, 1000), dot(0, 0, 4)];
    }, 16_000);
  });

  it('mix pixels to the byte, also by weights below zero and to sums beyond a byte', () => {
    expectSame(({ integers, mixPixels }) => {
      integers.set([0, 1, 5, 90]);
      integers.set([0, 1, 6, 8, 12], 4);
      integers.set([2 ** weightBits, -900_000, 2_000_000, 3_000_000, -1, 7, -(2 ** 21), 5, 1, 2, 3, 4], 9);
      mixPixels(4000, 4, 1000, 0, 16, 36);
      return [];
    }, 4012);
  });

  it('add weighted bytes and turn sums into bytes', () => {
    expectSame(({ integers, addWeighted, toBytes }) => {
      integers.fill(2 ** (weightBits - 1), 0, 1600);
      for (const weight of [3_000_000, -1_500_000, 2 ** 21])
        addWeighted(0, 10_000 + (weight % 77), 1600, weight);
      toBytes(20_000, 0, 1600);
      return [];
    }, 30_000);
  });

  it('find groups of floats with one of at least a threshold', () => {
    expectSame(({ floats, findAtLeast }) => {
      floats.fill(-1, 0, 1000);
      floats.set([NaN, 0.1, -Infinity, 0.3, Infinity], 100);
      floats[900] = 0.3;
      const thresholds = [-Infinity, -1, 0.1, 0.3, Math.fround(0.3), 1, 1e300, NaN];
      return thresholds.flatMap((least) =>
        [0, 12, 404, 412, 464].map((from) => findAtLeast(from, from + 3200, least)),
      );
    }, 4000);
  });
});

describe('the shared memory', () => {
  it('is not needed by lines beyond its size', () => {
    const width = 400_000;
    const pixels = new Uint8Array(width * 3).map((_, at) => [200, 10, 77][at % 3]!);
    const resized = resample(pixels, { width, height: 1 }, { width: 2, height: 1 }, 'bilinear');
    expect([...resized]).toEqual([200, 10, 77, 200, 10, 77]);
  });

  it('serves sounds and pictures in turn', () => {
    const samples = Float32Array.from({ length: 3000 }, (_, at) => Math.sin(at * at));
    const pixels = new Uint8Array(1800).map((_, at) => at * 37);
    const inTurn = (resize: boolean): unknown[] => {
      const first = createResampler({ fromHz: 24_000, toHz: 16_000 });
      const second = createResampler({ fromHz: 44_100, toHz: 16_000 });
      return [first, second, first, first, second].map((resampler) => {
        const picture = { width: 30, height: 20 };
        if (resize) resample(pixels, picture, { width: 11, height: 33 }, 'lanczos');
        return resampler.push(samples);
      });
    };
    expect(inTurn(true)).toEqual(inTurn(false));
  });
});
