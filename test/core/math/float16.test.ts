import { expect, it } from 'vitest';
import { float16ToFloat32Into } from '../../../src/core/math/float16.ts';

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
