import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeFloat32, encodeFloat32 } from '../../../src/core/embedding/base64.ts';

/** What a client of the format does. */
function decodeWithBuffer(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(4 * index));
}

describe('encodeFloat32', () => {
  it.each<[number[], string]>([
    [[], ''],
    [[1], 'AACAPw=='],
    [[1, -2], 'AACAPwAAAMA='],
    [[0, 0.5, 1], 'AAAAAAAAAD8AAIA/'],
  ])('%j → %s', (values, text) => {
    expect(encodeFloat32(Float32Array.from(values))).toBe(text);
    expect([...decodeFloat32(text)]).toEqual(values);
  });

  it('is read alike by Buffer and by decodeFloat32, for every vector', () => {
    fc.assert(
      fc.property(fc.float32Array({ maxLength: 50 }), (vector) => {
        const text = encodeFloat32(vector);
        expect(decodeWithBuffer(text)).toEqual(vector);
        expect(decodeFloat32(text)).toEqual(vector);
      }),
    );
  });

  it('writes a view, not the memory around it', () => {
    expect(encodeFloat32(Float32Array.of(9, 1, 9).subarray(1, 2))).toBe('AACAPw==');
  });
});

describe('decodeFloat32', () => {
  it.each(['A', 'AAAA', 'AACAPw', 'AAC-Pw==', 'AAC Pw==', 'AA=APw==', 'AACA€w=='])('refuses %s', (text) => {
    expect(() => decodeFloat32(text)).toThrow(RangeError);
  });
});
