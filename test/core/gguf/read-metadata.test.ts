import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readGgufMetadata } from '../../../src/core/gguf/read-metadata.ts';
import { float, writeGguf } from '../../backends/llama/write-gguf.ts';

const metadata = {
  'general.architecture': 'llama',
  'llama.context_length': 8192,
  'llama.rope.freq_base': float(0.5),
  'tokenizer.ggml.add_bos_token': false,
  'tokenizer.ggml.tokens': ['a', 'b', '▁c'],
  'tokenizer.ggml.token_type': Int32Array.of(1, 3, -1),
};
const tensor = { name: 'token_embd.weight', dims: [2, 3], values: new Float32Array(6) };
const bytes = writeGguf(metadata, [tensor]);

/** One entry `k` with a value of a type. */
function withValue(type: number, value: readonly number[]): Uint8Array {
  const head = [0x47, 0x47, 0x55, 0x46, 3, 0, 0, 0, ...long(0), ...long(1), ...long(1), 0x6b, type, 0, 0, 0];
  return Uint8Array.from([...head, ...value]);
}
const long = (value: number): number[] => [value, 0, 0, 0, 0, 0, 0, 0];

/** An entry with a list of a type that says its length, and bytes. */
function list(type: number, length: number, bytesLeft: number): Uint8Array {
  const head = new DataView(new ArrayBuffer(12));
  head.setUint32(0, type, true);
  head.setBigUint64(4, BigInt(length), true);
  return Buffer.concat([withValue(9, [...new Uint8Array(head.buffer)]), new Uint8Array(bytesLeft)]);
}

describe('readGgufMetadata', () => {
  it('reads what was written', () => {
    expect(Object.fromEntries(readGgufMetadata(bytes)!)).toEqual({
      'general.architecture': 'llama',
      'llama.context_length': 8192,
      'llama.rope.freq_base': 0.5,
      'tokenizer.ggml.add_bos_token': false,
      'tokenizer.ggml.tokens': ['a', 'b', '▁c'],
      'tokenizer.ggml.token_type': [1, 3, -1],
    });
  });

  it.each([
    [0, [200], 200],
    [1, [200], -56],
    [2, [1, 2], 513],
    [3, [255, 255], -1],
    [4, [0, 0, 0, 128], 2 ** 31],
    [5, [0, 0, 0, 128], -(2 ** 31)],
    [6, [0, 0, 128, 63], 1],
    [7, [1], true],
    [8, [...long(2), 104, 105], 'hi'],
    [9, [0, 0, 0, 0, ...long(2), 5, 6], [5, 6]],
    [9, [9, 0, 0, 0, ...long(1), 7, 0, 0, 0, ...long(1), 0], [[false]]],
    [10, long(9), 9],
    [11, [254, 255, 255, 255, 255, 255, 255, 255], -2],
    [12, [0, 0, 0, 0, 0, 0, 240, 63], 1],
  ] as const)('reads a value of type %i', (type, value, expected) => {
    expect(readGgufMetadata(withValue(type, value))!.get('k')).toEqual(expected);
  });

  it('stops before a key', () => {
    expect([...readGgufMetadata(bytes, { until: 'tokenizer.' })!.keys()]).toEqual([
      'general.architecture',
      'llama.context_length',
      'llama.rope.freq_base',
    ]);
  });

  it.each([
    ['no magic', Uint8Array.from([1, 2, 3, 4]), /^magic: /],
    [
      'another version',
      Uint8Array.from([0x47, 0x47, 0x55, 0x46, 1, 0, 0, 0]),
      /^version: expected 2 or 3, got 1/,
    ],
    ['another type', withValue(13, []), /^metadata: there is no type 13/],
    [
      'lists in lists',
      withValue(9, Array.from({ length: 9 }, () => [9, 0, 0, 0, ...long(1)]).flat()),
      /nested/,
    ],
  ])('refuses %s', (_name, content, message) => {
    expect(() => readGgufMetadata(content)).toThrow(message);
  });

  const bytesToCome = 2 ** 20;
  it.each<[string, Uint8Array]>([
    ['a list of 2⁴⁰ bytes in a file that ends before', list(0, 2 ** 40, bytesToCome)],
    ['a list of 2⁴⁰ texts', list(8, 2 ** 40, bytesToCome)],
    ['a list of 2²³ bytes, all of them there', list(0, 2 ** 23, 2 ** 23)],
    [
      '2⁴⁰ entries',
      Uint8Array.from([0x47, 0x47, 0x55, 0x46, 3, 0, 0, 0, ...long(0), 0, 0, 0, 0, 0, 1, 0, 0]),
    ],
  ])('refuses more values than any model has before it makes them: %s', (_name, content) => {
    expect(() => readGgufMetadata(content)).toThrow('metadata: expected at most 8388608 values');
  });

  it('finds nothing in any beginning that lacks a part', () => {
    const end = bytes.length - 24 - 64;
    for (let length = 0; length < end; length += 3) {
      if (length > bytes.indexOf(0xff)) break;
      expect(readGgufMetadata(bytes.subarray(0, length))).toBe(undefined);
    }
  });

  it('ends on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(bytes.length - 1), (noise, at) => {
        const damaged = bytes.slice();
        damaged.set(noise.subarray(0, damaged.length - at), at);
        try {
          readGgufMetadata(damaged);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});
