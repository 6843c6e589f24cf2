import { operatorsVersion } from '../core/onnx/graph-draft.ts';
import { toFloatConvolutions } from '../core/onnx/rewrites/float-convolutions.ts';
import { toSpatialConvolutions } from '../core/onnx/rewrites/spatial-convolutions.ts';
import { orElse } from '../core/text/or-else.ts';
import { measuredByteKernels, type ByteKernels } from './byte-kernels.ts';
import { defaultThreads } from './default-threads.ts';
import { locateWeights, renameWeights, writeMapped, type GraphBytes } from './mapped-weights.ts';
import { mentions, readOnnxFile } from './onnx-file.ts';
import type { OnnxSessionOptions } from './session-options.ts';

/** `Slice` takes its bounds as inputs. */
const minOperators = 10;

interface QuickConvolutions extends Pick<OnnxSessionOptions, 'device' | 'threads'> {
  /** Default: as measured. */
  readonly kernels?: ByteKernels;
}

/**
 * A graph with the convolutions that this runtime computes fastest: float ones instead of those in 8 bits, if measured so, and
 * spatial ones instead of those over time. The weights stay in the file.
 */
export async function withQuickConvolutions(
  path: string,
  { device = 'cpu', threads = defaultThreads(), kernels = measuredByteKernels }: QuickConvolutions = {},
): Promise<GraphBytes> {
  if (device !== 'cpu') return { graph: path };
  // The runtime reports what is wrong with a file.
  const model = orElse(() => (mentions(path, 'Conv') ? readOnnxFile(path) : undefined), undefined);
  const weights = model && locateWeights(path, model);
  if (!weights || operatorsVersion(model.opsets) < minOperators) return { graph: path };
  const whole = renameWeights(model.graph, weights.names);
  const float = toFloatConvolutions(whole);
  const chosen = float && !(await kernels.areFastConvolutions()) ? float : whole;
  const graph = toSpatialConvolutions(chosen, threads) ?? chosen;
  return graph === whole ? { graph: path } : writeMapped({ ...model, graph }, weights);
}
