import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFft } from '../../../src/core/audio/fft.ts';

const size = fc.oneof(fc.integer({ min: 1, max: 130 }), fc.constantFrom(256, 400, 401, 512));
const number = fc.double({ min: -1, max: 1, noNaN: true });
const signal = size.chain((length) =>
  fc.record({
    real: fc.float64Array({ min: -1, max: 1, noNaN: true, minLength: length, maxLength: length }),
    imaginary: fc.float64Array({ min: -1, max: 1, noNaN: true, minLength: length, maxLength: length }),
  }),
);

describe('createFft', () => {
  it('is the sum that defines it', () => {
    fc.assert(
      fc.property(signal, ({ real, imaginary }) => {
        const [outReal, outImaginary] = [real.slice(), imaginary.slice()];
        createFft(real.length).transform(outReal, outImaginary);
        let worst = 0;
        for (let bin = 0; bin < real.length; bin++) {
          let [sumReal, sumImaginary] = [0, 0];
          for (let index = 0; index < real.length; index++) {
            const angle = (-2 * Math.PI * ((bin * index) % real.length)) / real.length;
            sumReal += real[index]! * Math.cos(angle) - imaginary[index]! * Math.sin(angle);
            sumImaginary += real[index]! * Math.sin(angle) + imaginary[index]! * Math.cos(angle);
          }
          worst = Math.max(worst, Math.hypot(outReal[bin]! - sumReal, outImaginary[bin]! - sumImaginary));
        }
        expect(worst).toBeLessThan(1e-11);
      }),
    );
  });

  it('backwards, with the parts swapped, gives the signal again', () => {
    fc.assert(
      fc.property(signal, ({ real, imaginary }) => {
        const fft = createFft(real.length);
        const [outReal, outImaginary] = [real.slice(), imaginary.slice()];
        fft.transform(outReal, outImaginary);
        fft.transform(outImaginary, outReal);
        expect(
          Math.max(...outReal.map((value, index) => Math.abs(value / real.length - real[index]!))),
        ).toBeLessThan(1e-14);
        expect(
          Math.max(...outImaginary.map((value, index) => Math.abs(value / real.length - imaginary[index]!))),
        ).toBeLessThan(1e-14);
      }),
    );
  });

  it('is linear', () => {
    fc.assert(
      fc.property(signal, number, ({ real, imaginary }, factor) => {
        const fft = createFft(real.length);
        const scaled = {
          real: real.map((value) => value * factor),
          imaginary: imaginary.map((value) => value * factor),
        };
        fft.transform(real, imaginary);
        fft.transform(scaled.real, scaled.imaginary);
        expect(
          Math.max(...real.map((value, bin) => Math.abs(scaled.real[bin]! - value * factor))),
        ).toBeLessThan(1e-11);
      }),
    );
  });

  it.each([0, -1, 2.5, NaN, 4097])('refuses the size %d', (wrong) => {
    expect(() => createFft(wrong)).toThrow(RangeError);
  });
});
