import { toFloatConvolutions } from '../core/onnx/rewrites/float-convolutions.ts';
import { orElse } from '../core/text/or-else.ts';
import type { Device } from '../core/device.ts';
import { measuredByteKernels, type ByteKernels } from './byte-kernels.ts';
import { locateWeights, renameWeights, writeMapped, type GraphBytes } from './mapped-weights.ts';
import { mentions, readOnnxFile } from './onnx-file.ts';

/**
 * A graph with float convolutions instead of those in 8 bits, if this runtime computes them faster. The weights stay in the file.
 */
export async function withQuickConvolutions(
  path: string,
  {
    device = 'cpu',
    kernels = measuredByteKernels,
  }: { device?: Device | undefined; kernels?: ByteKernels } = {},
): Promise<GraphBytes> {
  if (device !== 'cpu') return { graph: path };
  // The runtime reports what is wrong with a file.
  const model = orElse(() => (mentions(path, 'ConvInteger') ? readOnnxFile(path) : undefined), undefined);
  if (!model) return { graph: path };
  const weights = locateWeights(path, model);
  const graph = weights && toFloatConvolutions(renameWeights(model.graph, weights.names));
  if (!graph || (await kernels.areFastConvolutions())) return { graph: path };
  return writeMapped({ ...model, graph }, weights);
}
