import fc from 'fast-check';
import { expect, it } from 'vitest';
import { float16ToFloat32Into, float32ToFloat16Into } from '../../../src/core/math/float16.ts';

it.each([
  [0x0000, 0],
  [0x3c00, 1],
  [0xc000, -2],
  [0x3555, 0.333251953125],
  [0x7bff, 65504],
  [0x0001, 2 ** -24],
  [0x03ff, 1023 * 2 ** -24],
  [0x0400, 2 ** -14],
  [0x7c00, Infinity],
  [0xfc00, -Infinity],
  [0x7e00, Number.NaN],
])('0x%s is %s', (bits, value) => {
  expect(float16ToFloat32Into(new Float32Array(1), Uint16Array.of(bits))[0]).toBe(value);
});

it('keeps the sign of zero', () => {
  expect(float16ToFloat32Into(new Float32Array(1), Uint16Array.of(0x8000))[0]).toBe(-0);
});

it('comes back from single precision, whatever it is', () => {
  const bits = Uint16Array.from({ length: 65536 }, (_, index) => index);
  const back = float32ToFloat16Into(
    new Uint16Array(65536),
    float16ToFloat32Into(new Float32Array(65536), bits),
  );
  const isNaN = (index: number) => (index & 0x7c00) === 0x7c00 && (index & 0x3ff) !== 0;
  expect([...bits].filter((value, index) => !isNaN(index) && back[index] !== value)).toEqual([]);
  expect([...bits].filter((_, index) => isNaN(index) && !isNaN(back[index]!))).toEqual([]);
});

it.each([
  [65519, 0x7bff],
  [65520, 0x7c00],
  [1e30, 0x7c00],
  [-1e30, 0xfc00],
  [2 ** -25, 0x0000],
  [2 ** -25 + 2 ** -40, 0x0001],
  [3 * 2 ** -25, 0x0002],
  [1 + 2 ** -11, 0x3c00],
  [1 + 3 * 2 ** -11, 0x3c02],
])('%d becomes 0x%s', (value, bits) => {
  expect(float32ToFloat16Into(new Uint16Array(1), Float32Array.of(value))[0]).toBe(bits);
});

it('takes the nearest', () =>
  fc.assert(
    fc.property(fc.double({ min: -65000, max: 65000, noNaN: true }), (value) => {
      const single = Float32Array.of(value);
      const [bits] = float32ToFloat16Into(new Uint16Array(1), single);
      const near = [bits! - 1, bits!, bits! + 1].map(
        (neighbour) => float16ToFloat32Into(new Float32Array(1), Uint16Array.of(neighbour))[0]!,
      );
      const distances = near
        .map((number) => Math.abs(number - single[0]!))
        .filter((distance) => distance >= 0);
      expect(Math.abs(near[1]! - single[0]!)).toBe(Math.min(...distances));
    }),
  ));
