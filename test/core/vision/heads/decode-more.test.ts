import { describe, expect, it } from 'vitest';
import { createCandidates, type Candidates } from '../../../../src/core/vision/candidates.ts';
import { decodeCustomInto } from '../../../../src/core/vision/heads/custom-head.ts';
import { decodeFastestDetInto } from '../../../../src/core/vision/heads/fastestdet.ts';
import { decodeGroundedInto } from '../../../../src/core/vision/heads/grounded.ts';
import { decodeNmsRowsInto, decodeNmsInto } from '../../../../src/core/vision/heads/nms.ts';
import { decodeYolo26Into } from '../../../../src/core/vision/heads/yolo26.ts';
import { decodeYoloXMapsInto } from '../../../../src/core/vision/heads/yolox-maps.ts';
import { decodeYoloXInto } from '../../../../src/core/vision/heads/yolox.ts';

const input = { width: 64, height: 32 };
const options = { classCount: 2, confidence: 0.3, input };

const listOf = ({ boxes, scores, classIds, count }: Candidates) =>
  Array.from({ length: count }, (_, index) => ({
    box: [...boxes.subarray(index * 4, index * 4 + 4)].map((edge) => Math.round(edge * 1e4) / 1e4),
    score: Math.round(scores[index]! * 1e4) / 1e4,
    classId: classIds[index],
  }));

const atanh = (value: number) => Math.atanh(value);
const logit = (share: number) => Math.log(share / (1 - share));

describe('FastestDet', () => {
  it('reads offsets in cells, sizes as shares, and weighs class and objectness', () => {
    // One row of two cells; the second holds a box.
    const channels = [
      [0, 0.5],
      [0, atanh(0.5)],
      [0, atanh(0.25)],
      [0, logit(0.25)],
      [0, logit(0.5)],
      [0, 0.2],
      [0, 0.8],
    ];
    const output = { data: Float32Array.from(channels.flat()), dims: [1, 7, 1, 2] };
    const expected = { box: [40, 0, 56, 16], score: 0.6034, classId: 1 };
    expect(listOf(decodeFastestDetInto(createCandidates(), output, options))).toEqual([expected]);
    const classMask = Uint8Array.of(1, 0);
    expect(decodeFastestDetInto(createCandidates(), output, { ...options, classMask }).count).toBe(0);
  });
});

describe('YOLOX with a map for each grid', () => {
  it('gives the boxes of the one output', () => {
    const strides = [8, 16, 32];
    const cellsOf = (stride: number) => (input.width / stride) * (input.height / stride);
    const value = (grid: number, cell: number, channel: number) =>
      channel >= 4 ? ((grid + 3 * cell + channel) % 10) / 10 : ((grid + cell + channel) % 7) / 7;
    const maps = strides.map((stride, grid) => ({
      data: Float32Array.from({ length: 7 * cellsOf(stride) }, (_, at) =>
        value(grid, at % cellsOf(stride), Math.floor(at / cellsOf(stride))),
      ),
      dims: [1, 7, input.height / stride, input.width / stride],
    }));
    const rows = strides.flatMap((stride, grid) =>
      Array.from({ length: cellsOf(stride) }, (_, cell) =>
        [0, 1, 2, 3, 4, 5, 6].map((at) => value(grid, cell, at)),
      ),
    );
    const one = { data: Float32Array.from(rows.flat()), dims: [1, rows.length, 7] };
    const found = listOf(decodeYoloXMapsInto(createCandidates(), maps, options));
    expect(found).toEqual(listOf(decodeYoloXInto(createCandidates(), one, options)));
    expect(found.length).toBeGreaterThan(5);
  });
});

describe('graphs that pick their boxes', () => {
  it('YOLO26 before the pick has corners', () => {
    const channels = [
      [3, 9],
      [4, 9],
      [7, 12],
      [6, 12],
      [0.1, 0.2],
      [0.9, 0.1],
    ];
    const output = { data: Float32Array.from(channels.flat()), dims: [1, 6, 2] };
    expect(listOf(decodeYolo26Into(createCandidates(), output, options))).toEqual([
      { box: [3, 4, 7, 6], score: 0.9, classId: 1 },
    ]);
  });

  it('counts only as many boxes as the graph says', () => {
    const boxes = { data: Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9), dims: [1, 3, 4] };
    const scores = { data: Float32Array.of(0.9, 0.2, 0.8), dims: [1, 3] };
    const labels = { data: Float32Array.of(1, 0, 0), dims: [1, 3] };
    const count = { data: Float32Array.of(2), dims: [1, 1] };
    const first = { box: [1, 2, 3, 4], score: 0.9, classId: 1 };
    expect(listOf(decodeNmsInto(createCandidates(), { boxes, scores, labels, count }, options))).toEqual([
      first,
    ]);
    expect(decodeNmsInto(createCandidates(), { boxes, scores, labels }, options).count).toBe(2);
  });

  it('reads the rows of YOLOv7', () => {
    const output = { data: Float32Array.of(0, 1, 2, 3, 4, 1, 0.75, 0, 1, 2, 3, 4, 5, 0.9), dims: [2, 7] };
    expect(listOf(decodeNmsRowsInto(createCandidates(), output, options))).toEqual([
      { box: [1, 2, 3, 4], score: 0.75, classId: 1 },
    ]);
  });
});

describe('words', () => {
  it('the best of the tokens of a word is its score', () => {
    const logits = { data: Float32Array.of(9, logit(0.4), logit(0.6), -9, 9, -9, -9, -9), dims: [1, 2, 4] };
    const boxes = { data: Float32Array.of(0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1, 1), dims: [1, 2, 4] };
    const spans = [
      [1, 2],
      [2, 4],
    ] as const;
    expect(
      listOf(decodeGroundedInto(createCandidates(), { logits, boxes }, { spans, confidence: 0.3, input })),
    ).toEqual([{ box: [16, 8, 48, 24], score: 0.6, classId: 1 }]);
  });
});

describe('a head of the user', () => {
  it('is held to confidence, classes and finite boxes', () => {
    const decode = () => [
      { box: [1, 2, 3, 4] as const, score: 0.5, classId: 1 },
      { box: [1, 2, 3, 4] as const, score: 0.1, classId: 1 },
      { box: [1, 2, 3, 4] as const, score: 0.5, classId: 7 },
      { box: [1, 2, 3, NaN] as const, score: 0.5, classId: 0 },
    ];
    expect(listOf(decodeCustomInto(createCandidates(), {}, { decode }, options))).toEqual([
      { box: [1, 2, 3, 4], score: 0.5, classId: 1 },
    ]);
  });
});
