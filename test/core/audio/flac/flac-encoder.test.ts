import { describe, expect, it } from 'vitest';
import { toFlacInfo, writeFlacHead } from '../../../../src/core/audio/containers/flac.ts';
import { createFlacEncoder, flacBlockLength } from '../../../../src/core/audio/flac/flac-encoder.ts';

describe('an encoder of FLAC', () => {
  it('writes a frame as the standard has it', () => {
    const encode = createFlacEncoder({ sampleRateHz: 24_000 });
    // Sync, a block of 4,096, the rate in Hz, mono of 16 bits, frame 0, 24,000; then a constant of −2, and the CRC-16.
    const frame = encode(new Int16Array(flacBlockLength).fill(-2));
    expect([...frame.subarray(0, 7)]).toEqual([0xff, 0xf8, 0xcd, 0x08, 0, 0x5d, 0xc0]);
    expect([...frame.subarray(8, 11)]).toEqual([0, 0xff, 0xfe]);
    expect(frame).toHaveLength(13);
    // The next one has its number; a short one has its length, less one.
    expect(encode(new Int16Array(flacBlockLength))[4]).toBe(1);
    expect([...encode(new Int16Array(300)).subarray(2, 7)]).toEqual([0x7d, 0x08, 2, 0x01, 0x2b]);
  });

  it('leaves a rate beyond 16 bits to the beginning of the file', () => {
    const [, , codes] = createFlacEncoder({ sampleRateHz: 96_000 })(new Int16Array(flacBlockLength));
    expect(codes).toBe(0xc0);
  });

  it.each([
    [{ sampleRateHz: 0 }, 1, 'sampleRateHz: expected an integer from 1 to 1048575, got 0'],
    [{ sampleRateHz: 2 ** 20 }, 1, 'sampleRateHz: expected an integer from 1 to 1048575, got 1048576'],
    [{ sampleRateHz: 8000.5 }, 1, 'sampleRateHz: expected an integer from 1 to 1048575, got 8000.5'],
    [{ sampleRateHz: 8000 }, 0, 'samples: expected 1 to 4096 of them, got 0'],
    [{ sampleRateHz: 8000 }, 4097, 'samples: expected 1 to 4096 of them, got 4097'],
  ])('refuses %j with %i samples', (options, length, message) => {
    expect(() => createFlacEncoder(options)(new Int16Array(length))).toThrow(new RangeError(message));
  });
});

it.each([
  [8000, 1],
  [96_000, 2 ** 32 + 5],
  [1_048_575, 2 ** 36 - 1],
  [24_000, undefined],
])('the beginning of FLAC of %i Hz with %s samples is read as written', (sampleRateHz, samples) => {
  const head = writeFlacHead({ sampleRateHz, blockLength: flacBlockLength, samples });
  expect(toFlacInfo(head)).toEqual({ sampleRateHz, channels: 1, samples, header: head });
});
