import { toByteProducts } from '../core/onnx/rewrites/byte-convolutions.ts';
import { fixAttentionShapes } from '../core/onnx/rewrites/attention-shapes.ts';
import { toSpatialConvolutions } from '../core/onnx/rewrites/spatial-convolutions.ts';
import { toWholePixels } from '../core/onnx/rewrites/whole-pixels.ts';
import { orElse } from '../core/text/or-else.ts';
import { locateWeights, renameWeights, writeMapped, type GraphBytes } from './mapped-weights.ts';
import { readOnnxFile } from './onnx-file.ts';
import { defaultThreads, type OnnxSessionOptions } from './session-options.ts';

/** A graph with convolutions and attention in the forms that the runtime computes fastest. The weights stay in the file. */
export function withQuickGraph(
  path: string,
  { device = 'cpu', threads = defaultThreads() }: Pick<OnnxSessionOptions, 'device' | 'threads'> = {},
): GraphBytes {
  if (device !== 'cpu') return { graph: path };
  // The runtime reports what is wrong with a file.
  const model = orElse(() => readOnnxFile(path), undefined);
  const weights = model && locateWeights(path, model);
  if (!weights) return { graph: path };
  const whole = renameWeights(model.graph, weights.names);
  const { opsets } = model;
  const products = toByteProducts({ graph: whole, opsets }) ?? whole;
  const spatial = toSpatialConvolutions({ graph: products, opsets }, threads) ?? products;
  const pixels = toWholePixels(spatial) ?? spatial;
  const graph = fixAttentionShapes(pixels) ?? pixels;
  return graph === whole ? { graph: path } : writeMapped({ ...model, graph }, weights);
}
