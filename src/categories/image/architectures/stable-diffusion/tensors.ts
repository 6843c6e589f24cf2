import { float32ToFloat16Into } from '../../../../core/math/float16.ts';
import type { ElementType, Tensor, TensorData, TensorSignature } from '../../../../contracts/graph.ts';
import { toFloat32 as floatsOf } from '../../../../runtime/encoder/token-inputs.ts';

/** Converts numbers to an element type; integers are truncated. */
const toData: Readonly<Partial<Record<ElementType, (numbers: Float32Array) => TensorData>>> = {
  float32: (numbers) => numbers,
  float16: (numbers) => float32ToFloat16Into(new Uint16Array(numbers.length), numbers),
  float64: (numbers) => Float64Array.from(numbers),
  int32: (numbers) => Int32Array.from(numbers),
  int64: (numbers) => BigInt64Array.from(numbers, (value) => BigInt(Math.trunc(value))),
};

export function toTensor(
  { name, type }: TensorSignature,
  numbers: Float32Array,
  dims: readonly number[],
): Tensor {
  const data = toData[type]?.(numbers);
  if (data) return { type, dims, data };
  throw new TypeError(`${name}: expected ${Object.keys(toData).join(', ')}, got ${type}`);
}

export function toFloat32(tensor: Tensor): Float32Array {
  return tensor.type === 'float64' ? Float32Array.from(tensor.data as Float64Array) : floatsOf(tensor);
}

export function concatenated(rows: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(rows.reduce((sum, row) => sum + row.length, 0));
  rows.forEach((row, index) => all.set(row, index * row.length));
  return all;
}
