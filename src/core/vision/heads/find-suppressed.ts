import type { Head, HeadQuery } from './find-head.ts';

type Output = HeadQuery['outputs'][number];

/** Names of the outputs of such graphs. */
const boxNames = new Set(['boxes', 'det_boxes', 'bboxes']);
const scoreNames = new Set(['scores', 'det_scores']);
const labelNames = new Set(['labels', 'det_classes', 'classes', 'class_ids']);
const countNames = new Set(['num_dets', 'num_detections', 'num_boxes']);

const rowLength = 7;

/** Finds the outputs of a graph that contains non-maximum suppression, by their names and shapes. */
export function findSuppressed({ outputs, classCount = 0 }: HeadQuery): Head | undefined {
  const find = (names: ReadonlySet<string>): Output | undefined =>
    outputs.find(({ name }) => names.has(name.toLowerCase().replace(/:\d+$/, '')));
  const [boxes, scores, labels] = [boxNames, scoreNames, labelNames].map(find);
  if (boxes?.dims.at(-1) === 4 && scores && labels && scores.dims.length < 3) {
    const count = find(countNames)?.name;
    return { name: 'nms', output: scores.name, boxes: boxes.name, labels: labels.name, count, classCount };
  }
  const [only] = outputs;
  const isRows = outputs.length === 1 && only?.dims.length === 2 && only.dims[1] === rowLength;
  return isRows ? { name: 'nms-rows', output: only.name, classCount } : undefined;
}
