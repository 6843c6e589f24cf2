import { detectionParameters } from '../../core/parameters/detection.ts';
import type { Size } from '../../core/vision/box.ts';
import { InferenceError } from '../../errors.ts';
import type { DetectorFolder } from '../../models/detector-folder.ts';
import type { TensorSignature } from '../../runtime/contract.ts';
import type { ImageSizes } from '../contract.ts';

/** Which inputs a model takes. */
export interface InputSizes extends ImageSizes {
  /** The one size, where the graph has it built in. */
  readonly fixed: Size | undefined;
}

const usualStride = 32;

/** Reads from the graph, its metadata and the config which sizes of input a model takes. */
export function readInputSizes(
  { dims }: TensorSignature,
  { config, metadata, preprocessor }: DetectorFolder,
): InputSizes {
  const [, , height, width] = dims;
  if (typeof height === 'number' && typeof width === 'number' && height > 0 && width > 0) {
    const longerSide = Math.max(width, height);
    return { fixed: { width, height }, default: longerSide, min: longerSide, max: longerSide, step: 1 };
  }
  const step = greatest(config['stride']) ?? greatest(metadata.get('stride')) ?? usualStride;
  const { min, max, default: usual } = detectionParameters.imageSize;
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

/**
 * The longer side of an input.
 *
 * @throws InferenceError `invalid_request` with the size that is allowed, or the nearest one
 */
export function chooseSize(wanted: number | undefined, sizes: InputSizes): number {
  if (wanted === undefined || wanted === sizes.default) return sizes.default;
  if (sizes.fixed) throw invalid(`the model takes ${sizes.default} alone, got ${wanted}`);
  if (wanted % sizes.step === 0) return wanted;
  const nearest = Math.min(Math.max(Math.round(wanted / sizes.step) * sizes.step, sizes.min), sizes.max);
  throw invalid(`expected a multiple of ${sizes.step}, got ${wanted}; the nearest is ${nearest}`);
}

/** `"[640, 480]"`, `32` and `[640, 480]` alike. */
function greatest(value: unknown): number | undefined {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const numbers = (text ?? '').match(/\d+/g)?.map(Number) ?? [];
  const number = Math.max(0, ...numbers);
  return number > 0 ? number : undefined;
}

function invalid(reason: string): InferenceError {
  return new InferenceError('invalid_request', `image_size: ${reason}.`, { param: 'image_size' });
}
