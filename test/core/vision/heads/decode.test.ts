import { describe, expect, it } from 'vitest';
import { createCandidates, type Candidates } from '../../../../src/core/vision/candidates.ts';
import { decodeDetrSoftmaxInto } from '../../../../src/core/vision/heads/detr-softmax.ts';
import { decodeDetrInto } from '../../../../src/core/vision/heads/detr.ts';
import { decodeEndToEndInto } from '../../../../src/core/vision/heads/end-to-end.ts';
import type { SizedDecodeOptions } from '../../../../src/core/vision/heads/head.ts';
import { decodeYoloV5Into } from '../../../../src/core/vision/heads/yolov5.ts';
import { decodeYoloV8Into } from '../../../../src/core/vision/heads/yolov8.ts';
import { decodeYoloXInto } from '../../../../src/core/vision/heads/yolox.ts';
import { selectDetections } from '../../../../src/core/vision/select-detections.ts';

const input = { width: 64, height: 32 };
/** Rows and classes of the grids 8 × 4, 4 × 2 and 2 × 1. */
const gridRows = 42;

interface Found {
  readonly box: number[];
  readonly score: number;
  readonly classId: number;
}

function listOf({ boxes, scores, classIds, count }: Candidates): Found[] {
  return Array.from({ length: count }, (_, index) => ({
    box: [...boxes.subarray(index * 4, index * 4 + 4)],
    score: scores[index]!,
    classId: classIds[index]!,
  }));
}

const logit = (share: number) => Math.log(share / (1 - share));
const transposed = (rows: readonly number[][]) =>
  rows[0]!.map((_, column) => rows.map((row) => row[column]!));
const flat = (rows: readonly number[][]) => Float32Array.from(rows.flat());

type Row = readonly [x: number, y: number, width: number, height: number, ...scores: number[]];
/** Three places, each with the scores of two classes. */
const rows: Row[] = [
  [20, 10, 8, 4, 0.125, 0.75],
  [30, 20, 4, 4, 0.25, 0.125],
  [40, 10, 2, 2, 0.5, 0.5],
];

/** The same three places as each head writes them. */
const heads: [name: string, decode: (options: SizedDecodeOptions) => Candidates][] = [
  [
    'yolov8',
    (options) => {
      const data = flat(transposed(rows.map((row) => [...row])));
      return decodeYoloV8Into(createCandidates(), { data, dims: [1, 6, 3] }, options);
    },
  ],
  [
    'yolov8 with masks',
    (options) => {
      const data = flat(transposed(rows.map((row) => [...row, 9, 9])));
      return decodeYoloV8Into(createCandidates(), { data, dims: [1, 8, 3] }, options);
    },
  ],
  [
    'yolov5',
    (options) => {
      const data = flat(
        rows.map(([x, y, w, h, ...scores]) => [x, y, w, h, 0.8, ...scores.map((s) => s / 0.8)]),
      );
      return decodeYoloV5Into(createCandidates(), { data, dims: [1, 3, 7] }, options);
    },
  ],
  [
    'yolox',
    (options) => {
      const cells = Array.from({ length: gridRows }, () => [0, 0, 0, 0, 0, 1, 1]);
      // Cell 3 of the first grid, cell 3 of row 1 of the second, cell 1 of the third.
      for (const [place, [cell, stride, column, row]] of (
        [
          [3, 8, 3, 0],
          [32 + 7, 16, 3, 1],
          [32 + 8 + 1, 32, 1, 0],
        ] as const
      ).entries()) {
        const [x, y, w, h, ...scores] = rows[place]!;
        cells[cell] = [
          x / stride - column,
          y / stride - row,
          Math.log(w / stride),
          Math.log(h / stride),
          1,
          ...scores,
        ];
      }
      return decodeYoloXInto(createCandidates(), { data: flat(cells), dims: [1, gridRows, 7] }, options);
    },
  ],
  [
    'end-to-end',
    (options) => {
      const data = flat(
        rows.map(([x, y, w, h, a = 0, b = 0]) => [
          x - w / 2,
          y - h / 2,
          x + w / 2,
          y + h / 2,
          Math.max(a, b),
          b > a ? 1 : 0,
        ]),
      );
      return decodeEndToEndInto(createCandidates(), { data, dims: [1, 3, 6] }, options);
    },
  ],
];

describe.each(heads)('%s', (_name, decode) => {
  const options = { classCount: 2, confidence: 0.2, input };

  it('finds boxes with their best class', () => {
    const found = listOf(decode(options));
    expect(found.map(({ classId }) => classId)).toEqual([1, 0, 0]);
    for (const [index, box] of [
      [16, 8, 24, 12],
      [28, 18, 32, 22],
      [39, 9, 41, 11],
    ].entries()) {
      for (const [corner, value] of box.entries()) expect(found[index]!.box[corner]).toBeCloseTo(value, 4);
    }
    for (const [index, score] of [0.75, 0.25, 0.5].entries())
      expect(found[index]!.score).toBeCloseTo(score, 6);
  });

  it('leaves out scores below the confidence', () => {
    expect(listOf(decode({ ...options, confidence: 0.4 }))).toHaveLength(2);
    expect(listOf(decode({ ...options, confidence: 0.76 }))).toEqual([]);
  });

  it('leaves out classes that are not wanted', () => {
    const found = listOf(decode({ ...options, classMask: Uint8Array.of(1, 0) }));
    expect(found.map(({ classId }) => classId)).toEqual([0, 0]);
  });
});

describe('detr', () => {
  const outputs = {
    logits: { data: Float32Array.from([0.125, 0.75, 0.5, 0.625], logit), dims: [1, 2, 2] },
    boxes: { data: Float32Array.of(0.5, 0.5, 0.25, 0.5, 0.25, 0.25, 0.125, 0.25), dims: [1, 2, 4] },
  };

  it('finds a query once for every class it is sure of', () => {
    const found = listOf(
      decodeDetrInto(createCandidates(), outputs, { classCount: 2, confidence: 0.3, input }),
    );
    expect(found.map(({ classId, box }) => [classId, ...box])).toEqual([
      [1, 24, 8, 40, 24],
      [0, 12, 4, 20, 12],
      [1, 12, 4, 20, 12],
    ]);
    expect(found[0]!.score).toBeCloseTo(0.75, 6);
    const masked = { classCount: 2, confidence: 0.3, input, classMask: Uint8Array.of(1, 0) };
    expect(listOf(decodeDetrInto(createCandidates(), outputs, masked))).toHaveLength(1);
  });
});

describe('detr-softmax', () => {
  const shares = [
    [0.5, 0.25, 0.25],
    [0.25, 0.125, 0.625],
    [0.125, 0.75, 0.125],
  ];
  const outputs = {
    logits: { data: Float32Array.from(shares.flat(), (share) => Math.log(share) + 100), dims: [1, 3, 3] },
    boxes: { data: new Float32Array(12).fill(0.25), dims: [1, 3, 4] },
  };
  const decode = (options: Partial<SizedDecodeOptions>) =>
    listOf(
      decodeDetrSoftmaxInto(createCandidates(), outputs, {
        classCount: 2,
        confidence: 0.2,
        input,
        ...options,
      }),
    ).map(({ classId, score }) => [classId, Number(score.toFixed(5))]);

  it('finds a query once, for the likeliest class that is not nothing', () => {
    expect(decode({})).toEqual([
      [0, 0.5],
      [0, 0.25],
      [1, 0.75],
    ]);
    expect(decode({ confidence: 0.6 })).toEqual([[1, 0.75]]);
  });

  it('knows no second best class', () => {
    expect(decode({ classMask: Uint8Array.of(0, 1) })).toEqual([[1, 0.75]]);
  });

  it('gives boxes in pixels of the input', () => {
    const [{ box }] = listOf(
      decodeDetrSoftmaxInto(createCandidates(), outputs, { classCount: 2, confidence: 0.6, input }),
    ) as [Found];
    expect(box).toEqual([8, 4, 24, 12]);
  });
});

it('a set of candidates is filled anew, whatever was in it', () => {
  const candidates = createCandidates();
  const options = { classCount: 1, confidence: 0.1 };
  const many = { data: new Float32Array(50).fill(0.9), dims: [1, 5, 10] };
  expect(decodeYoloV8Into(candidates, many, options).count).toBe(10);
  const few = { data: new Float32Array(5).fill(0.9), dims: [1, 5, 1] };
  expect(decodeYoloV8Into(candidates, few, options).count).toBe(1);
});

it('boxes and scores that are no numbers are left out', () => {
  const data = flat(
    transposed([
      [NaN, 1, 1, 1, 0.9],
      [1, 1, Infinity, 1, 0.9],
      [1, 1, 1, 1, NaN],
      [1, 1, 1, 1, 0.9],
    ]),
  );
  const options = { classCount: 1, confidence: 0.1 };
  expect(decodeYoloV8Into(createCandidates(), { data, dims: [1, 5, 4] }, options).count).toBe(1);
});

it('a class id beyond the classes is left out', () => {
  const data = Float32Array.of(0, 0, 1, 1, 0.9, 2, 0, 0, 1, 1, 0.9, -1);
  const options = { classCount: 2, confidence: 0.1 };
  expect(decodeEndToEndInto(createCandidates(), { data, dims: [1, 2, 6] }, options).count).toBe(0);
});

it('yolox refuses an output that is not of its input', () => {
  const output = { data: new Float32Array(7), dims: [1, 1, 7] };
  expect(() =>
    decodeYoloXInto(createCandidates(), output, { classCount: 2, confidence: 0.1, input }),
  ).toThrow(/^output: expected one row per cell of 64 × 32, got 1$/);
});

describe('selectDetections', () => {
  const candidates: Candidates = {
    boxes: Float32Array.of(0, 0, 4, 4, 0, 0, 4, 3, 9, 9, 12, 12, 7, 7, 7, 7),
    scores: Float32Array.of(0.5, 0.9, 0.7, 1),
    classIds: Int32Array.of(0, 0, 1, 0),
    count: 3,
  };

  it('suppresses where there is a threshold', () => {
    expect([...selectDetections(candidates, { iouThreshold: 0.5, maxDetections: 9 })]).toEqual([1, 2]);
    expect([...selectDetections(candidates, { iouThreshold: 0.8, maxDetections: 9 })]).toEqual([1, 2, 0]);
    expect([...selectDetections(candidates, { iouThreshold: 0.8, maxDetections: 2 })]).toEqual([1, 2]);
  });

  it('takes the best ones where there is none', () => {
    expect([...selectDetections(candidates, { iouThreshold: undefined, maxDetections: 9 })]).toEqual([
      1, 2, 0,
    ]);
    expect([...selectDetections(candidates, { iouThreshold: undefined, maxDetections: 1 })]).toEqual([1]);
  });
});
