import type { Size } from './box.ts';

/** Ways to weigh the pixels around a place. */
export type Filter = 'bilinear' | 'bicubic' | 'lanczos';

interface Kernel {
  /** Pixels to each side that count, where nothing is made smaller. */
  readonly support: number;
  weight(distance: number): number;
}

const channels = 3;
/** Weights are whole parts of it. */
const one = 2 ** 22;

const kernels: Readonly<Record<Filter, Kernel>> = {
  bilinear: { support: 1, weight: (distance) => Math.max(0, 1 - Math.abs(distance)) },
  bicubic: { support: 2, weight: (distance) => cubic(Math.abs(distance)) },
  lanczos: {
    support: 3,
    weight: (distance) => (Math.abs(distance) < 3 ? sinc(distance) * sinc(distance / 3) : 0),
  },
};

/**
 * Resizes an image as `Image.resize` of Pillow 13 does, to the value: smaller ones are averages over all that they cover. The
 * width is changed first, or the height where that loses more than twice as many pixels; values are rounded to eight bits
 * between. Earlier versions of Pillow always begin with the width.
 */
export function resample(pixels: Uint8Array, from: Size, to: Size, filter: Filter): Uint8Array {
  const kernel = kernels[filter];
  const lost = from.height - to.height;
  const heightFirst = lost > 0 && lost > 2 * (from.width - to.width);
  const changeWidth = (values: Uint8Array, lines: number): Uint8Array =>
    resampleLines(values, kernel, { lines, length: from.width, wanted: to.width, stride: channels });
  const changeHeight = (values: Uint8Array, width: number): Uint8Array =>
    resampleLines(values, kernel, {
      lines: 1,
      length: from.height,
      wanted: to.height,
      stride: width * channels,
    });
  if (heightFirst) return changeWidth(changeHeight(pixels, from.width), to.height);
  return changeHeight(changeWidth(pixels, from.height), to.width);
}

interface Lines {
  readonly lines: number;
  /** Samples of a line, before and after. */
  readonly length: number;
  readonly wanted: number;
  /** Numbers of one sample: those of a pixel, or of a row. */
  readonly stride: number;
}

function resampleLines(
  values: Uint8Array,
  kernel: Kernel,
  { lines, length, wanted, stride }: Lines,
): Uint8Array {
  if (wanted === length) return values;
  const result = new Uint8ClampedArray(lines * wanted * stride);
  const scale = length / wanted;
  const width = Math.max(scale, 1);
  const support = kernel.support * width;
  const weights = new Int32Array(2 * Math.ceil(support) + 1);
  const sums = new Float64Array(stride);
  for (let at = 0; at < wanted; at++) {
    const center = (at + 0.5) * scale;
    const first = Math.max(0, Math.trunc(center - support + 0.5));
    const end = Math.min(length, Math.trunc(center + support + 0.5));
    weigh(weights, kernel, { first, end, center, width });
    for (let line = 0; line < lines; line++) {
      sums.fill(one / 2);
      let from = (line * length + first) * stride;
      for (let index = 0; index < end - first; index++) {
        const weight = weights[index]!;
        for (let offset = 0; offset < stride; offset++) sums[offset]! += weight * values[from++]!;
      }
      const to = (line * wanted + at) * stride;
      for (let offset = 0; offset < stride; offset++) result[to + offset] = Math.floor(sums[offset]! / one);
    }
  }
  return new Uint8Array(result.buffer);
}

/** Fills in the weights of the samples from `first` to `end`; together they are one. */
function weigh(
  weights: Int32Array,
  kernel: Kernel,
  { first, end, center, width }: { first: number; end: number; center: number; width: number },
): void {
  let total = 0;
  for (let at = first; at < end; at++) total += kernel.weight((at - center + 0.5) * (1 / width));
  for (let at = first; at < end; at++) {
    const weight = (kernel.weight((at - center + 0.5) * (1 / width)) / total) * one;
    weights[at - first] = Math.trunc(weight + (weight < 0 ? -0.5 : 0.5));
  }
}

/** With a slope of −0.5 at the neighbours. */
function cubic(x: number): number {
  if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
  return x < 2 ? -0.5 * (((x - 5) * x + 8) * x - 4) : 0;
}

function sinc(x: number): number {
  if (x === 0) return 1;
  const angle = x * Math.PI;
  return Math.sin(angle) / angle;
}
