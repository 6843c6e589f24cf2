import { assertInteger } from './assert.ts';

/** Complex numbers; `imaginary` is as long as `real`. */
interface Complex {
  readonly real: Float64Array;
  readonly imaginary: Float64Array;
}

/** A pass of the transform: `groups` butterflies of `radix` numbers, repeated for `stride` neighbours. */
interface Pass {
  readonly radix: number;
  readonly groups: number;
  readonly stride: number;
  /** `[groups × (radix − 1)]`: the rotations of a butterfly's outputs, without the first, which isn't rotated. */
  readonly twiddles: Complex;
  /** `[radix]`: the roots of unity. */
  readonly roots: Complex;
}

/**
 * A fast Fourier transform of any size, by Stockham's algorithm: radix 4 and 5 have dedicated butterflies, a general
 * one handles the other primes. Sizes with large prime factors are right, but slow.
 * @see Van Loan, Computational Frameworks for the Fast Fourier Transform (1992), section 1.7
 */
export function createFft(size: number) {
  assertInteger('size', size, { min: 1, max: 4096 });
  const passes = planPasses(size);
  const scratch: Complex = { real: new Float64Array(size), imaginary: new Float64Array(size) };
  const given = { ...scratch };
  return {
    size,
    /** Transforms complex numbers in place, forwards and unscaled; allocates nothing. */
    transform(real: Float64Array, imaginary: Float64Array): void {
      given.real = real;
      given.imaginary = imaginary;
      let [from, to]: Complex[] = [given, scratch];
      for (const pass of passes) {
        if (pass.radix === 4) passOf4(pass, from!, to!);
        else if (pass.radix === 5) passOf5(pass, from!, to!);
        else passOfAny(pass, from!, to!);
        [from, to] = [to, from];
      }
      if (from === scratch) {
        real.set(scratch.real);
        imaginary.set(scratch.imaginary);
      }
    },
  };
}

function planPasses(size: number): Pass[] {
  let stride = 1;
  return factorsOf(size).map((radix) => {
    const groups = size / stride / radix;
    const pass: Pass = {
      radix,
      groups,
      stride,
      twiddles: turns(groups * (radix - 1), groups * radix, (index) => {
        return Math.floor(index / (radix - 1)) * ((index % (radix - 1)) + 1);
      }),
      roots: turns(radix, radix, (index) => index),
    };
    stride *= radix;
    return pass;
  });
}

/** Fours first, then primes. */
function factorsOf(size: number): number[] {
  const factors: number[] = [];
  let rest = size;
  for (; rest % 4 === 0; rest /= 4) factors.push(4);
  for (let prime = 2; rest > 1; prime++) {
    for (; rest % prime === 0; rest /= prime) factors.push(prime);
  }
  return factors;
}

/** exp(−2πi · share(index) / whole) for every index. */
function turns(length: number, whole: number, share: (index: number) => number): Complex {
  const angles = Float64Array.from({ length }, (_, index) => (-2 * Math.PI * share(index)) / whole);
  return { real: angles.map(Math.cos), imaginary: angles.map(Math.sin) };
}

function passOf4({ groups, stride, twiddles }: Pass, from: Complex, to: Complex): void {
  const { real, imaginary } = from;
  const { real: outReal, imaginary: outImaginary } = to;
  const { real: cosines, imaginary: sines } = twiddles;
  const apart = groups * stride;
  for (let group = 0; group < groups; group++) {
    const [cos1, cos2, cos3] = [cosines[3 * group]!, cosines[3 * group + 1]!, cosines[3 * group + 2]!];
    const [sin1, sin2, sin3] = [sines[3 * group]!, sines[3 * group + 1]!, sines[3 * group + 2]!];
    for (let at = group * stride, end = at + stride, out = 4 * at; at < end; at++, out++) {
      const sumReal = real[at]! + real[at + 2 * apart]!;
      const sumImaginary = imaginary[at]! + imaginary[at + 2 * apart]!;
      const differenceReal = real[at]! - real[at + 2 * apart]!;
      const differenceImaginary = imaginary[at]! - imaginary[at + 2 * apart]!;
      const oddSumReal = real[at + apart]! + real[at + 3 * apart]!;
      const oddSumImaginary = imaginary[at + apart]! + imaginary[at + 3 * apart]!;
      const oddDifferenceReal = real[at + apart]! - real[at + 3 * apart]!;
      const oddDifferenceImaginary = imaginary[at + apart]! - imaginary[at + 3 * apart]!;

      const real1 = differenceReal + oddDifferenceImaginary;
      const imaginary1 = differenceImaginary - oddDifferenceReal;
      const real2 = sumReal - oddSumReal;
      const imaginary2 = sumImaginary - oddSumImaginary;
      const real3 = differenceReal - oddDifferenceImaginary;
      const imaginary3 = differenceImaginary + oddDifferenceReal;

      outReal[out] = sumReal + oddSumReal;
      outImaginary[out] = sumImaginary + oddSumImaginary;
      outReal[out + stride] = real1 * cos1 - imaginary1 * sin1;
      outImaginary[out + stride] = real1 * sin1 + imaginary1 * cos1;
      outReal[out + 2 * stride] = real2 * cos2 - imaginary2 * sin2;
      outImaginary[out + 2 * stride] = real2 * sin2 + imaginary2 * cos2;
      outReal[out + 3 * stride] = real3 * cos3 - imaginary3 * sin3;
      outImaginary[out + 3 * stride] = real3 * sin3 + imaginary3 * cos3;
    }
  }
}

const [cosine1, cosine2] = [Math.cos((2 * Math.PI) / 5), Math.cos((4 * Math.PI) / 5)];
const [sine1, sine2] = [Math.sin((2 * Math.PI) / 5), Math.sin((4 * Math.PI) / 5)];

function passOf5({ groups, stride, twiddles }: Pass, from: Complex, to: Complex): void {
  const { real, imaginary } = from;
  const { real: outReal, imaginary: outImaginary } = to;
  const { real: cosines, imaginary: sines } = twiddles;
  const apart = groups * stride;
  for (let group = 0; group < groups; group++) {
    const [cos1, cos2] = [cosines[4 * group]!, cosines[4 * group + 1]!];
    const [cos3, cos4] = [cosines[4 * group + 2]!, cosines[4 * group + 3]!];
    const [sin1, sin2] = [sines[4 * group]!, sines[4 * group + 1]!];
    const [sin3, sin4] = [sines[4 * group + 2]!, sines[4 * group + 3]!];
    for (let at = group * stride, end = at + stride, out = 5 * at; at < end; at++, out++) {
      const firstReal = real[at]!;
      const firstImaginary = imaginary[at]!;
      const outerSumReal = real[at + apart]! + real[at + 4 * apart]!;
      const outerSumImaginary = imaginary[at + apart]! + imaginary[at + 4 * apart]!;
      const outerDifferenceReal = real[at + apart]! - real[at + 4 * apart]!;
      const outerDifferenceImaginary = imaginary[at + apart]! - imaginary[at + 4 * apart]!;
      const innerSumReal = real[at + 2 * apart]! + real[at + 3 * apart]!;
      const innerSumImaginary = imaginary[at + 2 * apart]! + imaginary[at + 3 * apart]!;
      const innerDifferenceReal = real[at + 2 * apart]! - real[at + 3 * apart]!;
      const innerDifferenceImaginary = imaginary[at + 2 * apart]! - imaginary[at + 3 * apart]!;

      const evenReal1 = firstReal + cosine1 * outerSumReal + cosine2 * innerSumReal;
      const evenImaginary1 = firstImaginary + cosine1 * outerSumImaginary + cosine2 * innerSumImaginary;
      const evenReal2 = firstReal + cosine2 * outerSumReal + cosine1 * innerSumReal;
      const evenImaginary2 = firstImaginary + cosine2 * outerSumImaginary + cosine1 * innerSumImaginary;
      const oddReal1 = sine1 * outerDifferenceReal + sine2 * innerDifferenceReal;
      const oddImaginary1 = sine1 * outerDifferenceImaginary + sine2 * innerDifferenceImaginary;
      const oddReal2 = sine2 * outerDifferenceReal - sine1 * innerDifferenceReal;
      const oddImaginary2 = sine2 * outerDifferenceImaginary - sine1 * innerDifferenceImaginary;

      const real1 = evenReal1 + oddImaginary1;
      const imaginary1 = evenImaginary1 - oddReal1;
      const real2 = evenReal2 + oddImaginary2;
      const imaginary2 = evenImaginary2 - oddReal2;
      const real3 = evenReal2 - oddImaginary2;
      const imaginary3 = evenImaginary2 + oddReal2;
      const real4 = evenReal1 - oddImaginary1;
      const imaginary4 = evenImaginary1 + oddReal1;

      outReal[out] = firstReal + outerSumReal + innerSumReal;
      outImaginary[out] = firstImaginary + outerSumImaginary + innerSumImaginary;
      outReal[out + stride] = real1 * cos1 - imaginary1 * sin1;
      outImaginary[out + stride] = real1 * sin1 + imaginary1 * cos1;
      outReal[out + 2 * stride] = real2 * cos2 - imaginary2 * sin2;
      outImaginary[out + 2 * stride] = real2 * sin2 + imaginary2 * cos2;
      outReal[out + 3 * stride] = real3 * cos3 - imaginary3 * sin3;
      outImaginary[out + 3 * stride] = real3 * sin3 + imaginary3 * cos3;
      outReal[out + 4 * stride] = real4 * cos4 - imaginary4 * sin4;
      outImaginary[out + 4 * stride] = real4 * sin4 + imaginary4 * cos4;
    }
  }
}

function passOfAny({ radix, groups, stride, twiddles, roots }: Pass, from: Complex, to: Complex): void {
  const apart = groups * stride;
  for (let group = 0; group < groups; group++) {
    for (let output = 0; output < radix; output++) {
      const twiddle = group * (radix - 1) + output - 1;
      const cosine = output === 0 ? 1 : twiddles.real[twiddle]!;
      const sine = output === 0 ? 0 : twiddles.imaginary[twiddle]!;
      for (let neighbour = 0; neighbour < stride; neighbour++) {
        let real = 0;
        let imaginary = 0;
        for (let input = 0, root = 0; input < radix; input++, root = (root + output) % radix) {
          const at = group * stride + neighbour + input * apart;
          real += from.real[at]! * roots.real[root]! - from.imaginary[at]! * roots.imaginary[root]!;
          imaginary += from.real[at]! * roots.imaginary[root]! + from.imaginary[at]! * roots.real[root]!;
        }
        const out = (group * radix + output) * stride + neighbour;
        to.real[out] = real * cosine - imaginary * sine;
        to.imaginary[out] = real * sine + imaginary * cosine;
      }
    }
  }
}
