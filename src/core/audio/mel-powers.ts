import { createFft } from './fft.ts';
import type { MelFilters } from './mel-filters.ts';

/** A raised cosine; the default `mean` and `swing` make a Hann window. */
export function cosineWindow(length: number, period: number, [mean, swing] = [0.5, 0.5]): Float64Array {
  return Float64Array.from({ length }, (_, at) => mean - swing * Math.cos((2 * Math.PI * at) / period));
}

/** Power spectra of frames, weighted by mel filters over the bins of a transform of `fftSize`; keeps its tables and scratch buffers. */
export function createMelPowers({ fftSize, filters }: { fftSize: number; filters: MelFilters }) {
  const fft = createFft(fftSize);
  const even = new Float64Array(fftSize);
  const odd = new Float64Array(fftSize);

  const weighInto = (out: Float32Array, columns: number, powers: Float64Array, frame: number): void => {
    const { starts, offsets, weights } = filters;
    for (let filter = 0; filter < starts.length; filter++) {
      let bin = starts[filter]!;
      let sum = 0;
      for (let at = offsets[filter]!, end = offsets[filter + 1]!; at < end; at++)
        sum += powers[bin++]! * weights[at]!;
      out[filter * columns + frame] = sum;
    }
  };

  /**
   * @param out `[filters × columns]`; the first `frames` of each row, at most `columns`, are written
   * @param readFrame writes the windowed samples of a frame, `[fftSize]`
   */
  return function writePowers(
    out: Float32Array,
    columns: number,
    frames: number,
    readFrame: (into: Float64Array, frame: number) => void,
  ): void {
    // One complex transform serves two frames: the spectra of two real signals can be separated from it.
    for (let frame = 0; frame < frames; frame += 2) {
      const isPair = frame + 1 < frames;
      readFrame(even, frame);
      if (isPair) readFrame(odd, frame + 1);
      else odd.fill(0);
      fft.transform(even, odd);
      separatePowers(even, odd);
      weighInto(out, columns, even, frame);
      if (isPair) weighInto(out, columns, odd, frame + 1);
    }
  };
}

/** Converts the transform of a + i·b to the power spectra of `a`, in `real`, and of `b`, in `imaginary`, up to the middle. */
function separatePowers(real: Float64Array, imaginary: Float64Array): void {
  const size = real.length;
  const middle = Math.floor(size / 2);
  real[0]! **= 2;
  imaginary[0]! **= 2;
  for (let bin = 1; bin <= middle; bin++) {
    const evenReal = real[bin]! + real[size - bin]!;
    const evenImaginary = imaginary[bin]! - imaginary[size - bin]!;
    const oddReal = imaginary[bin]! + imaginary[size - bin]!;
    const oddImaginary = real[size - bin]! - real[bin]!;
    real[bin] = (evenReal * evenReal + evenImaginary * evenImaginary) / 4;
    imaginary[bin] = (oddReal * oddReal + oddImaginary * oddImaginary) / 4;
  }
}
