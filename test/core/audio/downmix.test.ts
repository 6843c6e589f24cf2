import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { downmix } from '../../../src/core/audio/downmix.ts';

describe('downmix', () => {
  it.each([
    [[[0.25, -0.5]], [0.25, -0.5]],
    [[[1, 0], [0, -1]], [0.5, -0.5]], // prettier-ignore
    [[[1, 1], [1, -1], [1, 0.75]], [1, 0.25]], // prettier-ignore
    [[[], []], []],
  ])('%j → %j', (channels, expected) => {
    expect([...downmix(channels.map((channel) => Float32Array.from(channel)))]).toEqual(expected);
  });

  it('of one channel many times is that channel, in memory of its own', () => {
    const channel = fc.float32Array({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(channel, fc.integer({ min: 1, max: 8 }), (samples, count) => {
        const mono = downmix(Array.from({ length: count }, () => samples));
        expect([...mono]).toEqual([...samples].map((value) => value));
        expect(mono.buffer).not.toBe(samples.buffer);
      }),
    );
  });

  it('refuses nothing, channels of two lengths, and what is no channel', () => {
    expect(() => downmix([])).toThrow(new RangeError('channels: expected at least one, got none'));
    expect(() => downmix([new Float32Array(2), new Float32Array(3)])).toThrow(
      new RangeError('channels[1]: expected 2 samples, got 3'),
    );
    expect(() => downmix([new Float32Array(2), [1, 2] as unknown as Float32Array])).toThrow(
      new TypeError('channels[1]: expected a Float32Array, got Array'),
    );
  });
});
