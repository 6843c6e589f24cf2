import { join } from 'node:path';
import { toFloatConvolutions } from '../core/onnx/rewrites/float-convolutions.ts';
import { writeOnnxModel } from '../core/onnx/write-model.ts';
import { orElse } from '../core/text/or-else.ts';
import type { Device } from '../core/device.ts';
import { measuredByteKernels, type ByteKernels } from './byte-kernels.ts';
import { locateWeights, renameWeights } from './mapped-weights.ts';
import { readOnnxFile } from './onnx-file.ts';

/** A graph, with its bytes if it differs from the file. */
export interface GraphBytes {
  /** Path of the file; the weights are in its folder. */
  readonly graph: string;
  readonly bytes?: Uint8Array;
}

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
  const model = orElse(() => readOnnxFile(path), undefined);
  if (!model) return { graph: path };
  const weights = locateWeights(path, model);
  const graph = weights && toFloatConvolutions(renameWeights(model.graph, weights.names));
  if (!graph || (await kernels.areFastConvolutions())) return { graph: path };
  const { name } = weights.stamps[0]!;
  return {
    graph: join(weights.folder, name),
    bytes: writeOnnxModel({ ...model, graph }, { location: name }),
  };
}
