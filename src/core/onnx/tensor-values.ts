import { float16ToFloat32Into } from '../math/float16.ts';
import { elementBytes, elementTypes } from './element-types.ts';
import type { OnnxTensor } from './model.ts';

/** Larger constants are weights, not settings of a graph. */
const maxValues = 65_536;

/** The elements of a small numeric tensor; int64 beyond 2^53 is rounded. */
export function tensorValues({ elementType, dims, data }: OnnxTensor): readonly number[] | undefined {
  const count = dims.reduce((product, dim) => product * dim, 1);
  const view = views[elementType];
  if (data.place !== 'inline' || !view || !(count <= maxValues)) return undefined;
  if (data.bytes.length !== count * elementBytes(elementType)!) return undefined;
  return Array.from(view(new Uint8Array(data.bytes).buffer), Number);
}

/** The element of a one-element tensor. */
export function scalarValue(tensor: OnnxTensor | undefined): number | undefined {
  const values = tensor && tensorValues(tensor);
  return values?.length === 1 ? values[0] : undefined;
}

/** Converts bytes to elements, by element type. */
const views: Readonly<Record<number, (bytes: ArrayBuffer) => ArrayLike<number | bigint>>> = {
  [elementTypes.float32]: (bytes) => new Float32Array(bytes),
  [elementTypes.float64]: (bytes) => new Float64Array(bytes),
  [elementTypes.float16]: (bytes) =>
    float16ToFloat32Into(new Float32Array(bytes.byteLength / 2), new Uint16Array(bytes)),
  [elementTypes.int64]: (bytes) => new BigInt64Array(bytes),
  [elementTypes.int32]: (bytes) => new Int32Array(bytes),
  [elementTypes.bool]: (bytes) => new Uint8Array(bytes),
};

/** A constant with its elements in memory. */
export function inlineTensor(
  name: string,
  elementType: number,
  dims: readonly number[],
  bytes: Uint8Array,
): OnnxTensor {
  return { name, elementType, dims, data: { place: 'inline', bytes }, unknown: [] };
}

export function int64Tensor(name: string, values: readonly number[], dims = [values.length]): OnnxTensor {
  const bytes = new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
  return inlineTensor(name, elementTypes.int64, dims, bytes);
}
