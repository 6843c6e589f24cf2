import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { intersectionOverUnion } from '../../../src/core/vision/intersection-over-union.ts';
import { nms, nmsPerClass } from '../../../src/core/vision/nms.ts';
import { randomCase } from './golden/random-case.ts';

const golden = JSON.parse(readFileSync(join(import.meta.dirname, 'golden/nms.json'), 'utf8')) as [
  alone: number[],
  perClass: number[],
][];

describe('1,000 random cases', () => {
  it('are those of torchvision.ops.nms and batched_nms', () => {
    expect(golden).toHaveLength(1000);
    for (const [seed, [alone, perClass]] of golden.entries()) {
      const { boxes, scores, classIds, iouThreshold } = randomCase(seed);
      expect([...nms(boxes, scores, { iouThreshold })], `seed ${seed}`).toEqual(alone);
      expect([...nmsPerClass(boxes, scores, classIds, { iouThreshold })], `seed ${seed}`).toEqual(perClass);
    }
  });
});

it('is that of torchvision where the overlap is the threshold: in single precision, .3 is more than .3', () => {
  const boxes = Float32Array.of(0, 0, 10, 1, 0, 0, 3, 1);
  const scores = Float32Array.of(0.9, 0.8);
  expect(intersectionOverUnion(boxes, 0, 1)).toBe(0.3);
  expect([...nms(boxes, scores, { iouThreshold: 0.3 })]).toEqual([0]);
  expect([...nms(boxes, scores, { iouThreshold: Math.fround(0.3) })]).toEqual([0, 1]);
});

const coordinate = fc.integer({ min: 0, max: 60 });
const found = fc.record({
  x: coordinate,
  y: coordinate,
  width: fc.integer({ min: 0, max: 30 }),
  height: fc.integer({ min: 0, max: 30 }),
  classId: fc.integer({ min: 0, max: 3 }),
});
// Scores apart, so that the order is a matter of the scores alone.
const cases = fc
  .tuple(fc.array(found, { maxLength: 40 }), fc.integer({ min: 0, max: 20 }), fc.infiniteStream(fc.nat()))
  .map(([list, threshold, places]) => {
    const order = list.map((_, index) => ({ index, place: places.next().value! }));
    const ranks = order.toSorted((a, b) => a.place - b.place || a.index - b.index).map(({ index }) => index);
    return {
      boxes: list.map(({ x, y, width, height }) => [x, y, x + width, y + height]),
      scores: list.map((_, index) => (1 + ranks[index]!) / 64),
      classIds: list.map(({ classId }) => classId),
      iouThreshold: threshold / 20,
    };
  });

function run(
  { boxes, scores, classIds }: { boxes: number[][]; scores: number[]; classIds: number[] },
  iouThreshold: number,
  limits: { maxKept?: number; maxCandidates?: number } = {},
): number[] {
  const flat = Float32Array.from(boxes.flat());
  const options = { iouThreshold, ...limits };
  return [...nmsPerClass(flat, Float32Array.from(scores), Int32Array.from(classIds), options)];
}

const picked = <T>(values: readonly T[], indexes: readonly number[]) =>
  indexes.map((index) => values[index]!);

describe('nmsPerClass', () => {
  it('keeps no two boxes of a class that overlap by more than the threshold', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const flat = Float32Array.from(given.boxes.flat());
        const kept = run(given, given.iouThreshold);
        for (const a of kept)
          for (const b of kept) {
            if (a === b || given.classIds[a] !== given.classIds[b]) continue;
            expect(intersectionOverUnion(flat, a, b)).toBeLessThanOrEqual(given.iouThreshold);
          }
      }),
    );
  });

  it('drops no box without a better one of its class that it overlaps', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const flat = Float32Array.from(given.boxes.flat());
        const kept = new Set(run(given, given.iouThreshold));
        for (const box of given.boxes.keys()) {
          if (kept.has(box)) continue;
          const rivals = [...kept].filter(
            (rival) =>
              given.scores[rival]! > given.scores[box]! && given.classIds[rival] === given.classIds[box],
          );
          const overlaps = rivals.map((rival) => intersectionOverUnion(flat, rival, box));
          expect(Math.max(...overlaps)).toBeGreaterThan(given.iouThreshold);
        }
      }),
    );
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const kept = run(given, given.iouThreshold);
        const again = run(
          {
            boxes: picked(given.boxes, kept),
            scores: picked(given.scores, kept),
            classIds: picked(given.classIds, kept),
          },
          given.iouThreshold,
        );
        expect(again).toEqual([...kept.keys()]);
      }),
    );
  });

  it('does not depend on the order of the boxes', () => {
    fc.assert(
      fc.property(cases, fc.nat(), (given, seed) => {
        const order = [...given.boxes.keys()].toSorted(
          (a, b) => ((a * 7919 + seed) % 97) - ((b * 7919 + seed) % 97),
        );
        const shuffled = run(
          {
            boxes: picked(given.boxes, order),
            scores: picked(given.scores, order),
            classIds: picked(given.classIds, order),
          },
          given.iouThreshold,
        );
        expect(picked(order, shuffled)).toEqual(run(given, given.iouThreshold));
      }),
    );
  });

  it('keeps the best first, up to a number', () => {
    fc.assert(
      fc.property(cases, fc.integer({ min: 0, max: 10 }), (given, maxKept) => {
        const all = run(given, given.iouThreshold);
        expect(run(given, given.iouThreshold, { maxKept })).toEqual(all.slice(0, maxKept));
        const scores = picked(given.scores, all);
        expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      }),
    );
  });

  it('looks at the best candidates only', () => {
    const apart = {
      boxes: [
        [0, 0, 1, 1],
        [2, 0, 3, 1],
        [4, 0, 5, 1],
      ],
      scores: [0.2, 0.9, 0.5],
      classIds: [0, 0, 0],
    };
    expect(run(apart, 0.5, { maxCandidates: 2 })).toEqual([1, 2]);
  });
});

it('keeps both of two boxes whose overlap is the threshold', () => {
  const boxes = Float32Array.of(0, 0, 2, 2, 0, 0, 2, 1);
  expect([...nms(boxes, Float32Array.of(0.9, 0.8), { iouThreshold: 0.5 })]).toEqual([0, 1]);
  expect([...nms(boxes, Float32Array.of(0.9, 0.8), { iouThreshold: 0.49 })]).toEqual([0]);
});

it('takes only the first `count` boxes', () => {
  const boxes = Float32Array.of(0, 0, 2, 2, 5, 5, 7, 7);
  expect([...nms(boxes, Float32Array.of(0.1, 0.9), { iouThreshold: 0.5, count: 1 })]).toEqual([0]);
});
