import { describe, expect, it } from 'vitest';
import { describeImage } from '../../../src/core/diffusion/describe-image.ts';
import { guidanceEmbedding } from '../../../src/core/diffusion/guidance.ts';
import { scaleLatents, shrinkGrid, toRgb } from '../../../src/core/diffusion/latents.ts';
import { countWindows, toWindows } from '../../../src/core/diffusion/prompt-windows.ts';

describe('scaleLatents', () => {
  it('divides and shifts', () =>
    expect([...scaleLatents(Float32Array.of(1, 2), { factor: 0.5, shift: 1 })]).toEqual([3, 5]));

  it('uses the statistics of each channel', () => {
    const scaling = { factor: 2, shift: 0, means: [1, -1], deviations: [2, 4] };
    expect([...scaleLatents(Float32Array.of(1, 2, 1, 2), scaling)]).toEqual([2, 3, 1, 3]);
  });
});

describe('shrinkGrid', () => {
  it('takes means', () => {
    const grid = Float32Array.of(1, 3, 5, 7, 2, 2, 4, 4, 10, 10, 10, 10, 10, 10, 10, 10);
    const shrunk = shrinkGrid(grid, { width: 4, height: 2 }, { width: 2, height: 1 });
    expect([...shrunk]).toEqual([2, 5, 10, 10]);
  });

  it('leaves a grid of the same size as it is', () => {
    const grid = Float32Array.of(1, 2, 3, 4, 5, 6);
    expect(shrinkGrid(grid, { width: 3, height: 2 }, { width: 3, height: 2 })).toEqual(grid);
  });

  it('copes with sizes that have no common measure', () => {
    const shrunk = shrinkGrid(Float32Array.of(0, 1, 2), { width: 3, height: 1 }, { width: 2, height: 1 });
    expect([...shrunk]).toEqual([0.5, 1.5]);
  });
});

it('toRgb interleaves, rounds and cuts off', () => {
  const decoded = Float32Array.of(-1, 1, 0, -5, 5, Number.NaN);
  expect([...toRgb(decoded)]).toEqual([0, 128, 255, 255, 0, 0]);
});

describe('toWindows', () => {
  const frame = { startId: 90, endId: 91, padId: 0, windowLength: 5 };

  it.each([
    [[], [[90, 91, 0, 0, 0]]],
    [[1, 2], [[90, 1, 2, 91, 0]]],
    [[1, 2, 3], [[90, 1, 2, 3, 91]]],
    [
      [1, 2, 3, 4],
      [
        [90, 1, 2, 3, 91],
        [90, 4, 91, 0, 0],
      ],
    ],
  ])('%j', (tokens, windows) => {
    expect(countWindows(tokens, frame)).toBe(windows.length);
    expect(toWindows(tokens, frame, windows.length)).toEqual(windows);
  });

  it('fills up with empty windows', () =>
    expect(toWindows([1], frame, 2)).toEqual([
      [90, 1, 91, 0, 0],
      [90, 91, 0, 0, 0],
    ]));
});

describe('guidanceEmbedding', () => {
  it('is sines, then cosines', () => {
    const embedding = guidanceEmbedding(1.001, 6);
    const angles = [1, 0.01, 0.0001];
    [...angles.map(Math.sin), ...angles.map(Math.cos)].forEach((value, index) =>
      expect(embedding[index]).toBeCloseTo(value, 6),
    );
  });

  it('ends with a zero where its size is odd', () => expect(guidanceEmbedding(5, 7)[6]).toBe(0));
});

describe('describeImage', () => {
  const image = {
    prompt: 'a red circle',
    negativePrompt: '',
    steps: 4,
    scheduler: 'LCMScheduler',
    guidanceScale: 7.5,
    seed: 42,
    width: 512,
    height: 256,
    model: 'painter',
  };

  it('has two lines', () =>
    expect(describeImage(image)).toBe(
      'a red circle\nSteps: 4, Sampler: LCMScheduler, CFG scale: 7.5, Seed: 42, Size: 512x256, Model: painter',
    ));

  it('has a line for what is not wanted, and quotes', () =>
    expect(describeImage({ ...image, negativePrompt: 'blue', model: 'a, b' })).toMatch(
      /\nNegative prompt: blue\nSteps: .*, Model: "a, b"$/,
    ));
});
