import type { Size } from '../../../../core/vision/box.ts';
import { fieldError } from '../../../../errors.ts';
import type { Session, Tensor, TensorMap, TensorSignature } from '../../../../contracts/graph.ts';
import { float16ToFloat32Into } from '../../../../core/math/float16.ts';
import type { HeadOutput } from '../../../../core/vision/heads/head.ts';

/** Inputs of a detector's graph. */
export interface DetectorInputs {
  /** `[1, 3, height, width]` */
  readonly pixels: TensorSignature;
  /** `[1, height, width]`: which pixels belong to the image. Some graphs of DETR have it, and fix its size. */
  readonly mask: TensorSignature | undefined;
}

const maskName = 'pixel_mask';

/** Finds the inputs of a detector. */
export function readInputs({ inputs }: Session): DetectorInputs {
  const mask = inputs.find(({ name, dims }) => name === maskName && dims.length === 3);
  const [pixels, ...others] = inputs.filter((input) => input !== mask);
  if (pixels && others.length === 0 && takesImages(pixels)) return { pixels, mask };
  const got = inputs.map(({ name, type, dims }) => `${name} ${type}[${dims.join(', ')}]`).join(' and ');
  throw fieldError(
    'source',
    `expected a graph with one input, float32[1, 3, height, width], or with a ${maskName} beside it, got ${got}`,
  );
}

/** One image that fills its input. */
export function toFeeds(
  { pixels, mask }: DetectorInputs,
  data: Float32Array,
  { width, height }: Size,
): TensorMap {
  const image: Tensor = { type: 'float32', dims: [1, 3, height, width], data };
  return { [pixels.name]: image, ...(mask && { [mask.name]: fullMask(mask, { width, height }) }) };
}

function takesImages({ type, dims: [batch, channels, ...rest] }: TensorSignature): boolean {
  return (
    type === 'float32' &&
    rest.length === 2 &&
    (typeof channels === 'string' || channels === 3 || channels === -1) &&
    (batch === 1 || typeof batch !== 'number' || batch < 1)
  );
}

function fullMask({ name, type, dims }: TensorSignature, { width, height }: Size): Tensor {
  const sizeOf = (size: number | string | undefined, usual: number): number =>
    typeof size === 'number' && size > 0 ? size : usual;
  const shape = [1, sizeOf(dims[1], height), sizeOf(dims[2], width)] as const;
  const count = shape[1] * shape[2];
  switch (type) {
    case 'int64':
      return { type, dims: shape, data: new BigInt64Array(count).fill(1n) };
    case 'bool':
      return { type, dims: shape, data: new Uint8Array(count).fill(1) };
    case 'float32':
      return { type, dims: shape, data: new Float32Array(count).fill(1) };
    default:
      throw fieldError('source', `${name} is ${type}, expected int64, bool or float32`);
  }
}

/** The numbers of an output, whatever their type. */
export function toHeadOutput({ type, data, dims }: Tensor): HeadOutput {
  if (type === 'float32') return { data: data as Float32Array, dims };
  if (type === 'float16') {
    return { data: float16ToFloat32Into(new Float32Array(data.length), data as Uint16Array), dims };
  }
  if (type === 'int64') return { data: Float32Array.from(data as BigInt64Array, Number), dims };
  if (type === 'int32') return { data: Float32Array.from(data as Int32Array), dims };
  throw new TypeError(`output: expected float32, float16, int64 or int32, got ${type}`);
}
