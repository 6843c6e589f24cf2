import { elementTypes } from '../core/onnx/element-types.ts';
import { contribDomain } from '../core/onnx/graph-draft.ts';
import type { OnnxModel } from '../core/onnx/model.ts';
import { blockAttributes } from '../core/onnx/rewrites/two-stage-scores.ts';
import { int8Activations } from '../core/onnx/rewrites/accuracy-level.ts';
import { toModel } from '../core/onnx/tensor-graphs.ts';
import { inlineTensor } from '../core/onnx/tensor-values.ts';
import { nodeOf, tensorValue } from '../core/onnx/value.ts';
import type { Tensor } from '../contracts/graph.ts';
import { withSession } from './with-session.ts';

export type ByteKernels = typeof measuredByteKernels;

/** Columns and rows of the trial products. */
const [size, count] = [512, 2048] as const;
const blockSize = 32;
/** Enough rounds that one is undisturbed even on a busy machine. */
const maxRounds = 32;
let fast: Promise<boolean> | undefined;
let exact: Promise<boolean> | undefined;

/** The 8-bit products that a CPU computes efficiently. Each is measured once per process, with a small product. */
export const measuredByteKernels = {
  /**
   * Whether blockwise products use the CPU's byte instructions: without them they take as long as with full-precision
   * activations, some 50 times as long.
   */
  areFastByBlocks: () =>
    (fast ??= measure(0).then(async (slow) => {
      const enough = slow / 4;
      return (await measure(int8Activations, enough)) < enough;
    })),
  /** Whether products with signed weights are exact: older instructions saturate. */
  areExactWithSigns: () => (exact ??= multiplyLargest().then((sum) => sum === 255 * 127 * size)),
};

/** @returns the minimum milliseconds of several rounds, which stop at one below `enough` */
async function measure(accuracyLevel: number, enough = Infinity): Promise<number> {
  const x: Tensor = { type: 'float32', dims: [1, size], data: new Float32Array(size).fill(1) };
  return withSession(byBlocks(accuracyLevel), async (session) => {
    let least = Infinity;
    for (let round = 0; round < maxRounds && (round < 3 || least >= enough); round++) {
      const began = performance.now();
      await session.run({ x });
      least = Math.min(least, performance.now() - began);
    }
    return least;
  });
}

async function multiplyLargest(): Promise<number> {
  const x: Tensor = { type: 'uint8', dims: [1, size], data: new Uint8Array(size).fill(255) };
  return withSession(signed, async (session) => Number((await session.run({ x }))['y']!.data[0]));
}

const signed = toModel({
  nodes: [nodeOf('MatMulInteger', ['x', 'weights'], ['y'])],
  initializers: [
    inlineTensor('weights', elementTypes.int8, [size, blockSize], new Uint8Array(size * blockSize).fill(127)),
  ],
  inputs: [tensorValue('x', elementTypes.uint8, [1, size])],
  outputs: [tensorValue('y', elementTypes.int32, [1, blockSize])],
});

function byBlocks(accuracyLevel: number): OnnxModel {
  const blocks = size / blockSize;
  return toModel({
    nodes: [
      nodeOf('MatMulNBits', ['x', 'weights', 'scales'], ['y'], {
        domain: contribDomain,
        attributes: blockAttributes(size, count, accuracyLevel, blockSize),
      }),
    ],
    initializers: [
      inlineTensor('weights', elementTypes.uint8, [count, blocks, blockSize], new Uint8Array(count * size)),
      inlineTensor('scales', elementTypes.float32, [count * blocks], new Uint8Array(4 * count * blocks)),
    ],
    inputs: [tensorValue('x', elementTypes.float32, [1, size])],
    outputs: [tensorValue('y', elementTypes.float32, [1, count])],
  });
}
