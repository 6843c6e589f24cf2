import { float16ToFloat32Into } from '../math/float16.ts';
import { elementTypes } from './element-types.ts';
import type { OnnxTensor } from './model.ts';

/** Constants with more elements are weights, not settings of a graph. */
const mostValues = 65_536;

/** The elements of a small tensor of numbers. */
export function tensorValues({ elementType, dims, data }: OnnxTensor): readonly number[] | undefined {
  const count = dims.reduce((product, dim) => product * dim, 1);
  const read = readers[elementType];
  if (data.place !== 'inline' || !read || !(count <= mostValues)) return undefined;
  const { bytes } = data;
  const [size, value] = read;
  if (bytes.length !== count * size) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: count }, (_, index) => value(view, index * size));
}

/** The one element of a tensor; nothing where it has several. */
export function scalarValue(tensor: OnnxTensor | undefined): number | undefined {
  const values = tensor && tensorValues(tensor);
  return values?.length === 1 ? values[0] : undefined;
}

/** Element type → bytes of an element, and how to read one; int64 beyond 2^53 is rounded. */
const readers: Readonly<
  Record<number, readonly [size: number, read: (view: DataView, at: number) => number]>
> = {
  [elementTypes.float32]: [4, (view, at) => view.getFloat32(at, true)],
  [elementTypes.float64]: [8, (view, at) => view.getFloat64(at, true)],
  [elementTypes.float16]: [
    2,
    (view, at) => float16ToFloat32Into(new Float32Array(1), Uint16Array.of(view.getUint16(at, true)))[0]!,
  ],
  [elementTypes.int64]: [8, (view, at) => Number(view.getBigInt64(at, true))],
  [elementTypes.int32]: [4, (view, at) => view.getInt32(at, true)],
  [elementTypes.bool]: [1, (view, at) => view.getUint8(at)],
};

/** A constant whose elements are in memory. */
export function inlineTensor(
  name: string,
  elementType: number,
  dims: readonly number[],
  bytes: Uint8Array,
): OnnxTensor {
  return { name, elementType, dims, data: { place: 'inline', bytes }, unknown: [] };
}

/** A constant of int64 numbers. */
export function int64Tensor(name: string, values: readonly number[], dims = [values.length]): OnnxTensor {
  const bytes = new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
  return inlineTensor(name, elementTypes.int64, dims, bytes);
}
