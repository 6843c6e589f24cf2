import { describe, expect, it } from 'vitest';
import { findHead, headNames, type HeadQuery } from '../../../../src/core/vision/heads/registry.ts';

const square = (side: number) => ({ width: side, height: side });
const shapes = (...outputs: [name: string, dims: number[]][]) =>
  outputs.map(([name, dims]) => ({ name, dims }));
const dims = (...values: number[]) => shapes(['output0', values]);

describe('findHead', () => {
  it.each<[title: string, query: Partial<HeadQuery>, expected: object]>([
    ['YOLOv8', { outputs: dims(1, 84, 8400) }, { name: 'yolov8', outputs: ['output0'], classCount: 80 }],
    ['YOLOv8 with one class', { outputs: dims(1, 5, 8400) }, { name: 'yolov8', classCount: 1 }],
    [
      'YOLOv8 of a small input',
      { outputs: dims(1, 10, 84), input: square(64) },
      { name: 'yolov8', classCount: 6 },
    ],
    [
      'YOLOv8 with masks',
      { outputs: shapes(['output0', [1, 116, 8400]], ['output1', [1, 32, 160, 160]]), classCount: 80 },
      { name: 'yolov8', outputs: ['output0'], classCount: 80 },
    ],
    ['YOLOv5', { outputs: dims(1, 25200, 85) }, { name: 'yolov5', classCount: 80 }],
    ['YOLOv5 with one class', { outputs: dims(1, 25200, 6) }, { name: 'yolov5', classCount: 1 }],
    ['YOLOX', { outputs: dims(1, 8400, 85) }, { name: 'yolox', classCount: 80 }],
    ['YOLOX nano', { outputs: dims(1, 3549, 85), input: square(416) }, { name: 'yolox', classCount: 80 }],
    ['YOLOX, not square', { outputs: dims(1, 42, 7), input: { width: 64, height: 32 } }, { name: 'yolox' }],
    ['YOLOv10', { outputs: dims(1, 300, 6), classCount: 80 }, { name: 'end-to-end', classCount: 80 }],
    ['YOLOv10 without names', { outputs: dims(1, 300, 6) }, { name: 'end-to-end', classCount: 0 }],
    [
      'RT-DETR',
      { outputs: shapes(['logits', [1, 300, 80]], ['pred_boxes', [1, 300, 4]]) },
      { name: 'detr', outputs: ['logits', 'pred_boxes'], classCount: 80 },
    ],
    [
      'RF-DETR',
      { outputs: shapes(['dets', [1, 300, 4]], ['labels', [1, 300, 91]]), classCount: 91 },
      { name: 'detr', outputs: ['labels', 'dets'], classCount: 91 },
    ],
    [
      'DETR, where that is told',
      { outputs: shapes(['logits', [1, 100, 92]], ['pred_boxes', [1, 100, 4]]), head: 'detr-softmax' },
      { name: 'detr-softmax', outputs: ['logits', 'pred_boxes'], classCount: 91 },
    ],
    [
      'FastestDet',
      { outputs: dims(1, 85, 22, 22), input: square(352) },
      { name: 'fastestdet', classCount: 80 },
    ],
    [
      'YOLOX with a map for each grid',
      { outputs: shapes(['a', [1, 85, 80, 80]], ['b', [1, 85, 40, 40]], ['c', [1, 85, 20, 20]]) },
      { name: 'yolox-maps', outputs: ['a', 'b', 'c'], classCount: 80 },
    ],
    [
      'YOLO26 before it picks, where that is told',
      { outputs: dims(1, 84, 8400), head: 'yolo26' },
      { name: 'yolo26', classCount: 80 },
    ],
    [
      'a graph with suppression by TensorRT',
      {
        outputs: shapes(
          ['num_dets', [1, 1]],
          ['det_boxes', [1, 100, 4]],
          ['det_scores', [1, 100]],
          ['det_classes', [1, 100]],
        ),
        classCount: 80,
      },
      { name: 'nms', outputs: ['det_scores', 'det_boxes', 'det_classes', 'num_dets'] },
    ],
    [
      'a graph with suppression by torchvision',
      { outputs: shapes(['boxes', [0, 4]], ['labels', [0]], ['scores', [0]]), classCount: 91 },
      { name: 'nms', outputs: ['scores', 'boxes', 'labels'] },
    ],
    [
      'YOLOv7 with suppression',
      { outputs: dims(0, 7), classCount: 80 },
      { name: 'nms-rows', classCount: 80 },
    ],
    [
      'a head that is told',
      { outputs: dims(1, 8400, 85), head: 'yolov5' },
      { name: 'yolov5', classCount: 80 },
    ],
  ])('%s', (_title, query, expected) => {
    expect(findHead({ input: square(640), outputs: [], ...query })).toMatchObject(expected);
  });

  it.each<[title: string, query: Partial<HeadQuery>]>([
    ['a classifier', { outputs: dims(1, 1000) }],
    ['nothing', { outputs: [] }],
    ['more classes than rows', { outputs: dims(1, 84, 8400), classCount: 200 }],
    ['rows of no grid', { outputs: dims(1, 5000, 85) }],
    ['a head that does not fit', { outputs: dims(1, 84, 8400), head: 'end-to-end' }],
    [
      'no class but nothing',
      { outputs: shapes(['logits', [1, 9, 1]], ['pred_boxes', [1, 9, 4]]), head: 'detr-softmax' },
    ],
    ['one half of a pair', { outputs: shapes(['logits', [1, 300, 80]]), head: 'detr' }],
  ])('refuses %s, telling the shapes', (_title, query) => {
    expect(() => findHead({ input: square(640), outputs: [], ...query })).toThrow(
      /^head: expected outputs of .*, got/,
    );
  });

  it('names every layout that is known', () => {
    const refused = () => findHead({ input: square(640), outputs: dims(1, 1000) });
    for (const name of headNames) expect(refused).toThrow(name);
    expect(refused).toThrow(/got output0 \[1, 1000\]$/);
  });
});
