import { float16ToFloat32Into, float32ToFloat16Into } from '../../../../core/math/float16.ts';
import type { ElementType, Tensor, TensorSignature } from '../../../../contracts/graph.ts';

const floatTypes: readonly ElementType[] = ['float32', 'float16', 'float64'];
const integerTypes: readonly ElementType[] = ['int32', 'int64'];

/** Numbers in the element type that a graph takes; an integer one gets them without their decimals. */
export function toTensor(
  { name, type }: TensorSignature,
  data: Float32Array,
  dims: readonly number[],
): Tensor {
  switch (type) {
    case 'float32':
      return { type, dims, data };
    case 'float16':
      return { type, dims, data: float32ToFloat16Into(new Uint16Array(data.length), data) };
    case 'float64':
      return { type, dims, data: Float64Array.from(data) };
    case 'int32':
      return { type, dims, data: Int32Array.from(data) };
    case 'int64':
      return { type, dims, data: BigInt64Array.from(data, (value) => BigInt(Math.trunc(value))) };
    default:
      throw new TypeError(`${name}: expected ${[...floatTypes, ...integerTypes].join(', ')}, got ${type}`);
  }
}

/** The numbers of an output. */
export function toFloat32({ type, data }: Tensor): Float32Array {
  switch (type) {
    case 'float32':
      return data as Float32Array;
    case 'float16':
      return float16ToFloat32Into(new Float32Array(data.length), data as Uint16Array);
    case 'float64':
      return Float32Array.from(data as Float64Array);
    default:
      throw new TypeError(`expected an output of ${floatTypes.join(', ')}, got ${type}`);
  }
}

/** The size of a dimension that a graph has built in; free ones are marked with a name or a number below 1. */
export function builtInSize(dim: number | string | undefined): number | undefined {
  return typeof dim === 'number' && dim > 0 ? dim : undefined;
}
