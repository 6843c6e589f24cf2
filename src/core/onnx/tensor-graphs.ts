import { integerAttribute, nodeOf, tensorValue } from './value.ts';
import { elementBytes, elementTypes } from './element-types.ts';
import { withContribDomain } from './graph-draft.ts';
import type { OnnxGraph, OnnxModel } from './model.ts';
import { inlineTensor, int64Tensor } from './tensor-values.ts';

/** Element types of keys, values and logits. */
export type FloatElement = typeof elementTypes.float32 | typeof elementTypes.float16;

/** Four distinct dimension names; equal names would require equal sizes. */
const rank4 = (name: string): string[] => [0, 1, 2, 3].map((axis) => `${name}.${axis}`);

/** A graph of one node that creates zeros: `shape` int64 `[4]` → `y`. */
export function zerosModel(elementType: FloatElement): OnnxModel {
  const zero = inlineTensor('', elementType, [1], new Uint8Array(elementBytes(elementType)!));
  return toModel({
    nodes: [
      nodeOf('ConstantOfShape', ['shape'], ['y'], {
        attributes: [{ name: 'value', value: { type: 'tensor', value: zero }, unknown: [] }],
      }),
    ],
    initializers: [],
    inputs: [tensorValue('shape', elementTypes.int64, [4])],
    outputs: [tensorValue('y', elementType, rank4('y'))],
  });
}

/**
 * A graph that selects rows of several four-dimensional tensors, cuts or pads their third axis, and concatenates them
 * to `y`. For each part `i`: `x<i>` `[a, b, c, d]`, `rows<i>` int64 `[n]`, `kept<i>` int64 `[1]`, of the third axis,
 * and `pads<i>` int64 `[8]` as for `Pad`.
 */
export function joinRowsModel(elementType: FloatElement, parts: number): OnnxModel {
  const indices = Array.from({ length: parts }, (_, index) => index);
  return toModel({
    nodes: [
      ...indices.flatMap((index) => [
        nodeOf('Gather', [`x${index}`, `rows${index}`], [`gathered${index}`]),
        nodeOf('Slice', [`gathered${index}`, 'start', `kept${index}`, 'axis'], [`sliced${index}`]),
        nodeOf('Pad', [`sliced${index}`, `pads${index}`], [`part${index}`]),
      ]),
      nodeOf(
        'Concat',
        indices.map((index) => `part${index}`),
        ['y'],
        { attributes: [integerAttribute('axis', 0)] },
      ),
    ],
    initializers: [int64Tensor('start', [0]), int64Tensor('axis', [2])],
    inputs: indices.flatMap((index) => [
      tensorValue(`x${index}`, elementType, rank4(`x${index}`)),
      tensorValue(`rows${index}`, elementTypes.int64, [`n${index}`]),
      tensorValue(`kept${index}`, elementTypes.int64, [1]),
      tensorValue(`pads${index}`, elementTypes.int64, [8]),
    ]),
    outputs: [tensorValue('y', elementType, rank4('y'))],
  });
}

/**
 * A graph that selects one position: `x` `[rows, positions, size]`, `place` int64 `[1]`, an index over all rows'
 * positions → `y` `[1, size]`.
 */
export function pickPositionModel(elementType: FloatElement, size: number): OnnxModel {
  return toModel({
    nodes: [nodeOf('Reshape', ['x', 'shape'], ['flat']), nodeOf('Gather', ['flat', 'place'], ['y'])],
    initializers: [int64Tensor('shape', [-1, size])],
    inputs: [
      tensorValue('x', elementType, ['rows', 'positions', size]),
      tensorValue('place', elementTypes.int64, [1]),
    ],
    outputs: [tensorValue('y', elementType, [1, size])],
  });
}

/** A model of a graph with operators of ONNX and of onnxruntime. */
export function toModel(graph: Pick<OnnxGraph, 'nodes' | 'initializers' | 'inputs' | 'outputs'>): OnnxModel {
  return {
    irVersion: 10,
    producerName: '',
    producerVersion: '',
    opsets: withContribDomain([{ domain: '', version: 17 }]),
    metadata: new Map(),
    graph: { name: 'tensors', values: [], unknown: [], ...graph },
    unknown: [],
  };
}
