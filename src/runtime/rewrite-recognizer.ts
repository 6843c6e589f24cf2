import { withContribDomain } from '../core/onnx/graph-draft.ts';
import type { Device } from '../core/device.ts';
import { pruneGraph } from '../core/onnx/prune-graph.ts';
import type { OnnxValue } from '../core/onnx/model.ts';
import { toByteProducts } from '../core/onnx/rewrites/byte-convolutions.ts';
import type { AttentionHeads } from '../core/onnx/rewrites/attention-matcher.ts';
import { fuseWholeAttention } from '../core/onnx/rewrites/whole-attention.ts';
import { keepLastPositions } from '../core/onnx/rewrites/rewrite-nodes.ts';
import { multiplyByBlocks } from '../core/onnx/rewrites/products-by-blocks.ts';
import { scoreInTwoStages } from '../core/onnx/rewrites/two-stage-scores.ts';
import { takeBranch } from '../core/onnx/rewrites/take-branch.ts';
import { signWeights } from '../core/onnx/rewrites/signed-weights.ts';
import { measuredByteKernels, type ByteKernels } from './byte-kernels.ts';
import { locateWeights, renameWeights, writeMapped, type GraphBytes } from './mapped-weights.ts';
import { readOnnxFile } from './onnx-file.ts';

interface RewrittenGraph extends GraphBytes {
  /** Whether it is the requested branch; default false. */
  readonly isBranch?: boolean;
}

/** The input of a merged decoder that selects the branch with caches. */
const useCaches = 'use_cache_branch';

export interface RecognizerRewrites {
  readonly device: Device;
  /** Whether a merged decoder on the CPU is only used with caches, or only without; default: both. */
  readonly hasCaches?: boolean | undefined;
  /** Maximum number of last positions with logits; default: all. */
  readonly lastPositions?: number | undefined;
  /** Attention of an encoder without a mask, or of a decoder that reads one token after its caches. */
  readonly attention?: AttentionHeads | undefined;
  /** Default: as measured. */
  readonly kernels?: ByteKernels | undefined;
}

/**
 * A graph that scores only the last positions, with attention that keeps few scores, and with 8-bit products and scores
 * if this CPU has kernels for them. The weights are mapped from the file.
 */
export async function rewriteRecognizer(
  path: string,
  { device, hasCaches, lastPositions, attention, kernels = measuredByteKernels }: RecognizerRewrites,
): Promise<RewrittenGraph> {
  const model = readOnnxFile(path);
  const weights = locateWeights(path, model);
  if (!weights) return { graph: path };
  const whole = renameWeights(model.graph, weights.names);
  const isHere = device === 'cpu';
  const isStep = hasCaches === true;
  const branch = isHere && hasCaches !== undefined ? takeBranch(whole, useCaches, hasCaches) : undefined;
  let graph = branch ?? whole;
  if (lastPositions !== undefined) graph = keepLastPositions(graph, 'logits', lastPositions) ?? graph;
  if (isHere && attention) {
    // The cross-attention of a step isn't used.
    const isWanted = ({ name }: OnnxValue): boolean => !isStep || !name.startsWith('cross_attentions.');
    const asked = pruneGraph({ ...graph, outputs: graph.outputs.filter(isWanted) });
    graph = fuseWholeAttention(asked, { ...attention, isStep }) ?? graph;
  }
  const { opsets } = model;
  if (isHere) {
    const staged = scoreInTwoStages({ graph, opsets }, 'logits');
    if (staged && (await kernels.areFastByBlocks())) graph = staged;
    // A step has one row; with an encoder's many rows it would take a third longer.
    const byBlocks = hasCaches === false ? multiplyByBlocks({ graph, opsets }) : undefined;
    if (byBlocks && (await kernels.areFastByBlocks())) graph = byBlocks;
    graph = toByteProducts({ graph, opsets }) ?? graph;
    const signed = signWeights({ graph, opsets });
    if (signed && (await kernels.areExactWithSigns())) graph = signed;
  }
  if (graph === whole) return { graph: path };
  const rewritten = { ...model, opsets: withContribDomain(opsets), graph };
  return { ...writeMapped(rewritten, weights), isBranch: branch !== undefined };
}
