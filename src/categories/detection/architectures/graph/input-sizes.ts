import { detectionParameters } from '../../parameters.ts';
import type { Size } from '../../../../core/vision/box.ts';
import type { EdgeLimits } from '../../../../core/vision/edge-limits.ts';
import type { DetectorFolder } from './detector-folder.ts';
import type { TensorSignature } from '../../../../runtime/contract.ts';
import type { ImageSizes } from '../../events.ts';
import type { Resizing } from './resizing.ts';

/** Input sizes of a model. */
export interface InputSizes extends ImageSizes {
  /** The one size, where the graph has it built in, or the model's files know one that isn't square. */
  readonly fixed: Size | undefined;
  /** For models that keep an image's proportions without padding; `default` is then the longest edge. */
  readonly edges?: EdgeLimits | undefined;
}

const usualStride = 32;

/**
 * Reads from the graph, its metadata and the config which sizes of input a model takes.
 *
 * @param resizing of models of the DETR family
 */
export function readInputSizes(
  { dims }: TensorSignature,
  { config, metadata, preprocessor }: DetectorFolder,
  resizing?: Resizing,
): InputSizes {
  const [, , height, width] = dims;
  if (typeof height === 'number' && typeof width === 'number' && height > 0 && width > 0)
    return sizesOf({ width, height });
  const { min, max, default: usual } = detectionParameters.imageSize;
  if (resizing && 'edges' in resizing) {
    const { edges } = resizing;
    return { fixed: undefined, edges, default: edges.longest, min, max, step: 1 };
  }
  if (resizing && resizing.exact.width !== resizing.exact.height) return sizesOf(resizing.exact);
  const step = greatest(config['stride']) ?? greatest(metadata.get('stride')) ?? usualStride;
  const trained =
    greatest(config['image_size']) ??
    greatest(metadata.get('imgsz')) ??
    greatest((preprocessor['size'] as Record<string, unknown> | undefined)?.['height']) ??
    usual;
  return {
    fixed: undefined,
    default: Math.max(1, Math.round(trained / step)) * step,
    min: Math.ceil(min / step) * step,
    max: Math.floor(max / step) * step,
    step,
  };
}

function sizesOf(fixed: Size): InputSizes {
  const longerSide = Math.max(fixed.width, fixed.height);
  return { fixed, default: longerSide, min: longerSide, max: longerSide, step: 1 };
}

/** `"[640, 480]"`, `32` and `[640, 480]` alike. */
function greatest(value: unknown): number | undefined {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const numbers = (text ?? '').match(/\d+/g)?.map(Number) ?? [];
  const number = Math.max(0, ...numbers);
  return number > 0 ? number : undefined;
}
