import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { centersToCornersInto, cornersToCentersInto } from '../../../src/core/vision/box.ts';
import { intersectionOverUnion } from '../../../src/core/vision/intersection-over-union.ts';
import { fittingInput, letterbox, stretch, toImageBox } from '../../../src/core/vision/letterbox.ts';
import { rankScores } from '../../../src/core/vision/rank.ts';

const side = fc.integer({ min: 1, max: 5000 });
const size = fc.record({ width: side, height: side });
const inputSize = fc.record({
  width: fc.integer({ min: 1, max: 40 }).map((strides) => strides * 32),
  height: fc.integer({ min: 1, max: 40 }).map((strides) => strides * 32),
});

describe('box formats', () => {
  it('centres and corners are inverse', () => {
    const box = fc.tuple(...Array.from({ length: 8 }, () => fc.integer({ min: -2000, max: 2000 })));
    fc.assert(
      fc.property(box, (values) => {
        const boxes = Float32Array.from(values);
        const there = centersToCornersInto(new Float32Array(8), boxes);
        expect([...cornersToCentersInto(there, there)]).toEqual([...boxes].map((value) => value + 0));
      }),
    );
  });
});

describe('intersectionOverUnion', () => {
  it.each([
    ['the same', [0, 0, 4, 4], [0, 0, 4, 4], 1],
    ['half', [0, 0, 4, 4], [0, 0, 4, 2], 0.5],
    ['shifted', [0, 0, 2, 2], [1, 0, 3, 2], 1 / 3],
    ['inside', [0, 0, 10, 10], [2, 2, 3, 3], 0.01],
    ['touching', [0, 0, 2, 2], [2, 0, 4, 2], 0],
    ['apart', [0, 0, 1, 1], [5, 5, 6, 6], 0],
    ['without area', [1, 1, 1, 1], [1, 1, 1, 1], 0],
  ])('%s', (_title, a, b, expected) => {
    const boxes = Float32Array.of(...a, ...b);
    expect(intersectionOverUnion(boxes, 0, 1)).toBeCloseTo(expected, 12);
    expect(intersectionOverUnion(boxes, 1, 0)).toBeCloseTo(expected, 12);
  });
});

describe('letterbox', () => {
  it.each([
    [{ width: 1280, height: 720 }, 'center', { left: 0, top: 140, width: 640, height: 360 }],
    [{ width: 720, height: 1280 }, 'center', { left: 140, top: 0, width: 360, height: 640 }],
    [{ width: 720, height: 1280 }, 'start', { left: 0, top: 0, width: 360, height: 640 }],
    [{ width: 1, height: 1 }, 'center', { left: 0, top: 0, width: 640, height: 640 }],
    [{ width: 10_000, height: 1 }, 'center', { left: 0, top: 319, width: 640, height: 1 }],
  ] as const)('%j %s', (image, align, expected) => {
    expect(letterbox(image, { width: 640, height: 640 }, { align })).toEqual(expected);
  });

  it('lies within the input and touches two of its edges', () => {
    fc.assert(
      fc.property(size, inputSize, fc.constantFrom('center', 'start'), (image, input, align) => {
        const { left, top, width, height } = letterbox(image, input, { align });
        expect(Math.min(left, top)).toBeGreaterThanOrEqual(0);
        expect(left + width).toBeLessThanOrEqual(input.width);
        expect(top + height).toBeLessThanOrEqual(input.height);
        expect(width === input.width || height === input.height).toBe(true);
      }),
    );
  });

  it('is undone by toImageBox', () => {
    fc.assert(
      fc.property(size, inputSize, fc.constantFrom('center', 'start', 'stretch'), (image, input, fit) => {
        const placement = fit === 'stretch' ? stretch(input) : letterbox(image, input, { align: fit });
        const { left, top, width, height } = placement;
        const quarter = { x1: left, y1: top, x2: left + width / 2, y2: top + height / 2 };
        const box = toImageBox(quarter, placement, image);
        expect(box.x1).toBe(0);
        expect(box.y1).toBe(0);
        expect(box.x2).toBeCloseTo(image.width / 2, 6);
        expect(box.y2).toBeCloseTo(image.height / 2, 6);
      }),
    );
  });

  it('cuts boxes off at the edges of the image', () => {
    const placement = { left: 0, top: 140, width: 640, height: 360 };
    const beyond = { x1: -50, y1: 0, x2: 9999, y2: 9999 };
    const image = { width: 1280, height: 720 };
    expect(toImageBox(beyond, placement, image)).toEqual({ x1: 0, y1: 0, x2: 1280, y2: 720 });
    expect(toImageBox({ x1: 10, y1: 0, x2: 20, y2: 100 }, placement, image)).toEqual({
      x1: 20,
      y1: 0,
      x2: 40,
      y2: 0,
    });
  });
});

describe('fittingInput', () => {
  it('is in whole strides, as long as asked for, and holds the letterboxed image', () => {
    fc.assert(
      fc.property(size, fc.integer({ min: 10, max: 40 }), (image, strides) => {
        const longerSide = strides * 32;
        const input = fittingInput(image, { longerSide, stride: 32 });
        expect(Math.max(input.width, input.height)).toBe(longerSide);
        expect(input.width % 32 || input.height % 32).toBe(0);
        const { width, height } = letterbox(image, input, { align: 'center' });
        expect(Math.max(width, height)).toBe(longerSide);
        expect(Math.min(input.width - width, input.height - height)).toBe(0);
        expect(Math.max(input.width - width, input.height - height)).toBeLessThan(32);
      }),
    );
  });
});

describe('rankScores', () => {
  it('sorts like a stable sort, up to the limit', () => {
    const score = fc.integer({ min: 0, max: 50 }).map((value) => value / 50);
    fc.assert(
      fc.property(fc.array(score, { maxLength: 200 }), fc.nat(60), (scores, limit) => {
        const expected = [...scores.keys()]
          .toSorted((a, b) => scores[b]! - scores[a]! || a - b)
          .slice(0, limit);
        expect([...rankScores(Float32Array.from(scores), { limit })]).toEqual(expected);
      }),
    );
  });

  it('tells scores apart that differ in the last bit', () => {
    expect([...rankScores(Float32Array.of(0.5, 0.5 + 2 ** -24, 0.5 + 2 ** -23, 1e-38, 0))]).toEqual([
      2, 1, 0, 3, 4,
    ]);
  });

  it('refuses more than it can count', () => {
    expect(() => rankScores(new Float32Array(2 ** 20))).toThrow(RangeError);
  });
});
