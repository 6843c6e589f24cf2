import { elementTypes } from '../core/onnx/element-types.ts';
import { contribDomain, withContribDomain } from '../core/onnx/graph-draft.ts';
import type { Device } from '../core/device.ts';
import type { OnnxModel, OnnxTensor } from '../core/onnx/model.ts';
import { blockAttributes, blockSize, computeByBlocks } from '../core/onnx/rewrites/block-products.ts';
import { fuseWholeAttention, type AttentionHeads } from '../core/onnx/rewrites/whole-attention.ts';
import { keepLastPositions } from '../core/onnx/rewrites/rewrite-nodes.ts';
import { takeBranch } from '../core/onnx/rewrites/take-branch.ts';
import { int8Activations } from '../core/onnx/rewrites/accuracy-level.ts';
import { nodeOf, tensorValue } from '../core/onnx/value.ts';
import { writeOnnxModel } from '../core/onnx/write-model.ts';
import { join } from 'node:path';
import { locateWeights, renameWeights } from './mapped-weights.ts';
import { createOnnxSession } from './onnx.ts';
import { readOnnxFile } from './onnx-file.ts';

/** A graph, with its bytes where it isn't that of the file. */
interface RewrittenGraph {
  readonly graph: string;
  readonly bytes?: Uint8Array;
  /** Whether it is the branch that was wanted; default false. */
  readonly isBranch?: boolean;
}

/** The input of a merged decoder that says whether there are caches. */
const useCaches = 'use_cache_branch';

/** Rewrites of a recognizer's graph. */
export interface RecognizerRewrites {
  readonly device: Device;
  /** Whether a merged decoder, on the CPU, is wanted for the case with caches alone, or without; default: for both. */
  readonly hasCaches?: boolean | undefined;
  /** Positions whose logits are wanted at most: the last ones; default: all. */
  readonly lastPositions?: number | undefined;
  /** Attention of an encoder, which is told no mask. */
  readonly attention?: AttentionHeads | undefined;
  /** Default: measured once. */
  readonly hasByteKernels?: (() => Promise<boolean>) | undefined;
}

/**
 * A graph that scores the last positions alone, whose attention keeps few scores, and which computes products by 8 bits where its
 * weights have them and this processor has kernels for them. The weights are mapped from the file.
 */
export async function rewriteRecognizer(
  path: string,
  { device, hasCaches, lastPositions, attention, hasByteKernels = measureByteKernels }: RecognizerRewrites,
): Promise<RewrittenGraph> {
  const model = readOnnxFile(path);
  const weights = locateWeights(path, model);
  if (!weights) return { graph: path };
  const whole = renameWeights(model.graph, weights.names);
  const isHere = device === 'cpu';
  const branch = isHere && hasCaches !== undefined ? takeBranch(whole, useCaches, hasCaches) : undefined;
  let graph = branch ?? whole;
  if (lastPositions !== undefined) graph = keepLastPositions(graph, 'logits', lastPositions) ?? graph;
  if (isHere && attention) graph = fuseWholeAttention(graph, attention) ?? graph;
  const byBlocks = isHere ? computeByBlocks({ graph, opsets: model.opsets }) : undefined;
  if (byBlocks && (await hasByteKernels())) graph = byBlocks;
  if (graph === whole) return { graph: path };
  const { name } = weights.stamps[0]!;
  const opsets = withContribDomain(model.opsets);
  const bytes = writeOnnxModel({ ...model, opsets, graph }, { location: name });
  return { graph: join(weights.folder, name), bytes, isBranch: branch !== undefined };
}

/** Columns and rows of the product that is tried. */
const [tried, rows] = [512, 2048] as const;
/** A machine that is busy leaves one of them undisturbed. */
const mostRounds = 32;
let byteKernels: Promise<boolean> | undefined;

/**
 * Whether the runtime computes products of 8 bits with this processor's instructions: without, they take as long as with activations
 * of full precision, some 50 times as long.
 */
function measureByteKernels(): Promise<boolean> {
  return (byteKernels ??= measure(0).then(async (slow) => {
    const enough = slow / 4;
    return (await measure(int8Activations, enough)) < enough;
  }));
}

/** @returns the least milliseconds of some rounds, which end with one below `enough` */
async function measure(accuracyLevel: number, enough = Infinity): Promise<number> {
  const session = await createOnnxSession(writeOnnxModel(product(accuracyLevel)), { threads: 1 });
  try {
    const x = { type: 'float32', dims: [1, tried], data: new Float32Array(tried).fill(1) } as const;
    let least = Infinity;
    for (let round = 0; round < mostRounds && (round < 3 || least >= enough); round++) {
      const began = performance.now();
      await session.run({ x });
      least = Math.min(least, performance.now() - began);
    }
    return least;
  } finally {
    await session.release();
  }
}

function product(accuracyLevel: number): OnnxModel {
  const blocks = tried / blockSize;
  const constant = (name: string, elementType: number, dims: number[], bytes: Uint8Array): OnnxTensor => {
    return { name, elementType, dims, data: { place: 'inline', bytes }, unknown: [] };
  };
  return {
    irVersion: 10,
    producerName: '',
    producerVersion: '',
    opsets: withContribDomain([{ domain: '', version: 17 }]),
    metadata: new Map(),
    unknown: [],
    graph: {
      name: 'product',
      values: [],
      unknown: [],
      nodes: [
        nodeOf('MatMulNBits', ['x', 'weights', 'scales'], ['y'], {
          domain: contribDomain,
          attributes: blockAttributes(tried, rows, accuracyLevel),
        }),
      ],
      initializers: [
        constant('weights', elementTypes.uint8, [rows, blocks, blockSize], new Uint8Array(rows * tried)),
        constant('scales', elementTypes.float32, [rows * blocks], new Uint8Array(4 * rows * blocks)),
      ],
      inputs: [tensorValue('x', elementTypes.float32, [1, tried])],
      outputs: [tensorValue('y', elementTypes.float32, [1, rows])],
    },
  };
}
