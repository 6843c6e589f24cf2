import { assertNames } from '../../assert-names.ts';
import {
  assertCount,
  assertList,
  assertObject,
  assertOneOf,
  assertSize,
  assertText,
} from '../../assert-values.ts';
import { detrSoftmaxHead } from './detr-softmax.ts';
import { detrHead } from './detr.ts';
import { endToEndHead } from './end-to-end.ts';
import { fastestDetHead } from './fastestdet.ts';
import type { DetectorHead, FoundOutputs, OutputQuery } from './head.ts';
import { nmsRowsHead, nmsHead } from './nms.ts';
import { yolo26Head } from './yolo26.ts';
import { yoloV8Head } from './yolov8.ts';
import { yoloV5Head } from './yolov5.ts';
import { yoloXMapsHead } from './yolox-maps.ts';
import { yoloXHead } from './yolox.ts';

/** All output layouts. The first one that matches the outputs reads them, so specific layouts precede general ones. */
export const detectorHeads = [
  detrHead,
  detrSoftmaxHead,
  nmsHead,
  nmsRowsHead,
  fastestDetHead,
  yoloXMapsHead,
  endToEndHead,
  yoloV8Head,
  yoloXHead,
  yoloV5Head,
  yolo26Head,
] as const satisfies readonly DetectorHead[];

/** The name of a layout of outputs. */
export type HeadName = (typeof detectorHeads)[number]['name'];

/** The supported output layouts. */
export const headNames: readonly HeadName[] = detectorHeads.map(({ name }) => name);

/** The inputs and outputs of a model whose head is unknown. */
export interface HeadQuery extends OutputQuery {
  /** Default: detected from the names and shapes of the outputs. */
  readonly head?: HeadName | undefined;
}

/** How to read a model's outputs. */
export interface Head extends FoundOutputs {
  readonly name: HeadName;
}

/** The head with this name; `undefined` for an unknown name. */
export function headNamed(name: string): DetectorHead<HeadName> | undefined {
  return detectorHeads.find((head) => head.name === name);
}

/**
 * Detects how to read a model's outputs from their names and shapes.
 *
 * @throws RangeError with the shapes, if no layout matches
 *
 * @example
 * ```ts
 * findHead({ outputs: [{ name: 'output0', dims: [1, 84, 8400] }], input: { width: 640, height: 640 } });
 * // { name: 'yolov8', outputs: ['output0'], classCount: 80 }
 * ```
 */
export function findHead(query: HeadQuery): Head {
  assertNames('findHead', query, ['outputs', 'input', 'classCount', 'head']);
  const { head: chosen, outputs, classCount } = query;
  assertList('outputs', outputs, (label, output) => {
    assertObject(label, output);
    assertText(`${label}.name`, (output as HeadQuery['outputs'][number]).name);
    assertList(`${label}.dims`, (output as HeadQuery['outputs'][number]).dims, assertCount);
  });
  assertSize('input', query.input);
  if (classCount !== undefined) assertCount('classCount', classCount);
  if (chosen !== undefined) assertOneOf('head', chosen, headNames);
  const offered: readonly DetectorHead<HeadName>[] = detectorHeads.filter(
    ({ name }) => name === (chosen ?? name),
  );
  for (const head of offered) {
    const found = head.find(query, chosen !== undefined);
    if (found) return { name: head.name, ...found };
  }
  const got = outputs.map(({ name, dims }) => `${name} [${dims.join(', ')}]`).join(', ');
  const classes = classCount ? ` with ${classCount} classes` : '';
  const known = offered.map(({ name, shapes }) => `${name} ${shapes}`).join('; ');
  const expected = chosen ? `of ${known}${classes}` : `of a known layout${classes} (${known})`;
  throw new RangeError(`head: expected outputs ${expected}, got ${got}`);
}
