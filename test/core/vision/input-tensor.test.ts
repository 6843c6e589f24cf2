import { describe, expect, it } from 'vitest';
import { toInputTensorInto, type PixelFormat } from '../../../src/core/vision/input-tensor.ts';

const plain: PixelFormat = {
  channelOrder: 'rgb',
  scale: 1,
  mean: [0, 0, 0],
  deviation: [1, 1, 1],
  padding: 114,
};
const pixels = Uint8Array.of(1, 2, 3, 4, 5, 6);
const two = { width: 2, height: 1 };

function tensorOf(format: Partial<PixelFormat>, left = 0, top = 0, input = two): number[] {
  const tensor = new Float32Array(3 * input.width * input.height).fill(-1);
  return [...toInputTensorInto(tensor, pixels, { left, top, ...two }, input, { ...plain, ...format })];
}

describe('toInputTensorInto', () => {
  it('puts channels apart', () => {
    expect(tensorOf({})).toEqual([1, 4, 2, 5, 3, 6]);
    expect(tensorOf({ channelOrder: 'bgr' })).toEqual([3, 6, 2, 5, 1, 4]);
  });

  it('scales, then normalizes by colour', () => {
    const format = { scale: 2, mean: [1, 2, 3], deviation: [1, 2, 4] } as const;
    expect(tensorOf(format)).toEqual([1, 7, 1, 4, 0.75, 2.25]);
    expect(tensorOf({ ...format, channelOrder: 'bgr' })).toEqual([0.75, 2.25, 1, 4, 1, 7]);
  });

  it('pads around the image, in the scale of the pixels', () => {
    const padded = tensorOf({ scale: 0.5, padding: 10 }, 1, 1, { width: 4, height: 2 });
    expect(padded.slice(0, 8)).toEqual([5, 5, 5, 5, 5, 0.5, 2, 5]);
    expect(padded.slice(16)).toEqual([5, 5, 5, 5, 5, 1.5, 3, 5]);
  });
});
