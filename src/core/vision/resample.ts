import { sinc } from '../math/numeric.ts';
import { openSimd, weightBits } from '../math/simd.ts';
import type { Size } from './box.ts';

/** Interpolation filters. */
export type Filter = 'bilinear' | 'bicubic' | 'lanczos';

interface Kernel {
  /** Radius in pixels, without downscaling. */
  readonly support: number;
  weight(distance: number): number;
}

const channels = 3;
/** Bytes of a row to sum at a time: their sums fit in the L1 cache. */
const pieceBytes = 4096;

const kernels: Readonly<Record<Filter, Kernel>> = {
  bilinear: { support: 1, weight: (distance) => Math.max(0, 1 - Math.abs(distance)) },
  bicubic: { support: 2, weight: (distance) => cubic(Math.abs(distance)) },
  lanczos: {
    support: 3,
    weight: (distance) => (Math.abs(distance) < 3 ? sinc(distance) * sinc(distance / 3) : 0),
  },
};

/**
 * Resizes an image exactly like `Image.resize` of Pillow 13: downscaling averages over the covered pixels. The width is
 * resized first, or the height if that removes more than twice as many pixels; values are rounded to eight bits in
 * between. Earlier versions of Pillow always begin with the width.
 */
export function resample(pixels: Uint8Array, from: Size, to: Size, filter: Filter): Uint8Array {
  const kernel = kernels[filter];
  const lost = from.height - to.height;
  const heightFirst = lost > 0 && lost > 2 * (from.width - to.width);
  const changeWidth = (values: Uint8Array): Uint8Array =>
    from.width === to.width ? values : mixLines(values, from.width, weigh(kernel, from.width, to.width));
  const changeHeight = (values: Uint8Array): Uint8Array =>
    from.height === to.height ? values : mixRows(values, from.height, weigh(kernel, from.height, to.height));
  return heightFirst ? changeWidth(changeHeight(pixels)) : changeHeight(changeWidth(pixels));
}

/** The input samples of each output sample. */
interface Weights {
  /**
   * For each output sample, its first input sample, and the start of its weights in `values`; one more start marks the end.
   */
  readonly firsts: Int32Array;
  readonly starts: Int32Array;
  readonly values: Int32Array;
}

/** The weights of each output sample add up to 1. */
function weigh(kernel: Kernel, length: number, wanted: number): Weights {
  const scale = length / wanted;
  const width = Math.max(scale, 1);
  const support = kernel.support * width;
  const firsts = new Int32Array(wanted);
  const starts = new Int32Array(wanted + 1);
  const values = new Int32Array(wanted * (2 * Math.ceil(support) + 1));
  let start = 0;
  for (let at = 0; at < wanted; at++) {
    const center = (at + 0.5) * scale;
    const first = (firsts[at] = Math.max(0, Math.trunc(center - support + 0.5)));
    const end = Math.min(length, Math.trunc(center + support + 0.5));
    const weightOf = (sample: number): number => kernel.weight((sample - center + 0.5) * (1 / width));
    let total = 0;
    for (let sample = first; sample < end; sample++) total += weightOf(sample);
    for (let sample = first; sample < end; sample++) {
      const weight = (weightOf(sample) / total) * 2 ** weightBits;
      values[start++] = Math.trunc(weight + (weight < 0 ? -0.5 : 0.5));
    }
    starts[at + 1] = start;
  }
  return { firsts, starts, values: values.subarray(0, start) };
}

/** @param width in pixels, before resizing */
function mixLines(pixels: Uint8Array, width: number, { firsts, starts, values }: Weights): Uint8Array {
  const [before, after] = [width * channels, firsts.length * channels];
  const result = new Uint8Array((pixels.length / before) * after);
  const startsAt = firsts.byteLength;
  const valuesAt = startsAt + starts.byteLength;
  const lineAt = valuesAt + values.byteLength;
  const resultAt = lineAt + before + 1;
  const simd = openSimd(resultAt + after + 1);
  simd.holder = undefined;
  simd.integers.set(firsts);
  simd.integers.set(starts, startsAt / 4);
  simd.integers.set(values, valuesAt / 4);
  for (let from = 0, to = 0; to < result.length; from += before, to += after) {
    simd.bytes.set(pixels.subarray(from, from + before), lineAt);
    simd.mixPixels(resultAt, firsts.length, lineAt, 0, startsAt, valuesAt);
    result.set(simd.bytes.subarray(resultAt, resultAt + after), to);
  }
  return result;
}

/** @param height in pixels, before resizing */
function mixRows(pixels: Uint8Array, height: number, { firsts, starts, values }: Weights): Uint8Array {
  const stride = pixels.length / height;
  const result = new Uint8Array(stride * firsts.length);
  const simd = openSimd();
  simd.holder = undefined;
  const { bytes, integers } = simd;
  for (let begin = 0; begin < stride; begin += pieceBytes) {
    const count = Math.min(pieceBytes, stride - begin);
    for (let at = 0; at < firsts.length; at++) {
      integers.fill(2 ** (weightBits - 1), 0, count);
      let from = firsts[at]! * stride + begin;
      for (let index = starts[at]!; index < starts[at + 1]!; index++, from += stride) {
        bytes.set(pixels.subarray(from, from + count), 4 * pieceBytes);
        simd.addWeighted(0, 4 * pieceBytes, count, values[index]!);
      }
      simd.toBytes(4 * pieceBytes, 0, count);
      result.set(bytes.subarray(4 * pieceBytes, 4 * pieceBytes + count), at * stride + begin);
    }
  }
  return result;
}

/** With a slope of −0.5 at the neighbours. */
function cubic(x: number): number {
  if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
  return x < 2 ? -0.5 * (((x - 5) * x + 8) * x - 4) : 0;
}
