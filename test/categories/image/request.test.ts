import { describe, expect, it } from 'vitest';
import { seedOfImage } from '../../../src/categories/image/parameters.ts';
import { completeImageRequest, type ImageRequestInput } from '../../../src/categories/image/request.ts';

const complete = (given: Partial<ImageRequestInput>) =>
  completeImageRequest({ model: 'm', prompt: 'a red circle', ...given });

describe('completeImageRequest', () => {
  it('fills in the defaults', () => {
    expect(complete({})).toEqual({
      model: 'm',
      prompt: 'a red circle',
      negativePrompt: '',
      numInferenceSteps: 4,
      guidanceScale: 7.5,
      width: 1024,
      height: 1024,
      seed: undefined,
      n: 1,
      previews: false,
    });
  });

  it.each<[Partial<ImageRequestInput>, string, string]>([
    [{ prompt: ' ' }, 'prompt', 'prompt: expected a non-empty text'],
    [{ prompt: 'a'.repeat(20_000) }, 'prompt', 'expected at most 8192 characters, got 20000'],
    [{ negativePrompt: 'a'.repeat(8193) }, 'negative_prompt', 'expected at most 8192 characters'],
    [{ width: 300 }, 'width', 'width: expected a multiple of 64, got 300'],
    [{ height: 2112 }, 'height', 'from 256 to 2048, got 2112'],
  ])('refuses %j', (given, param, message) => {
    expect(() => complete(given)).toThrow(expect.objectContaining({ code: 'invalid_request', param }));
    expect(() => complete(given)).toThrow(message);
  });

  it('takes the largest seeds', () => {
    expect(complete({ seed: 2 ** 31 }).seed).toBe(2 ** 31);
    expect(complete({ seed: 2 ** 31, n: 4 }).n).toBe(4);
    const seeds = [0, 1, 2, 3].map((image) => seedOfImage(2 ** 31 - 1, image));
    expect(seeds).toEqual([2 ** 31 - 1, 2 ** 31, 0, 1]);
  });
});
