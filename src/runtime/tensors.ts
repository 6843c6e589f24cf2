import type { ElementType, Tensor } from '../contracts/graph.ts';
import { tensorArrays } from './native/element-types.ts';

/** A tensor with all elements equal; half precision as bits. */
export function filled(type: ElementType, dims: readonly number[], value = 0): Tensor {
  const data = new tensorArrays[type](dims.reduce((product, dim) => product * dim, 1)) as Int32Array;
  return { type, dims, data: data.fill((type === 'int64' ? BigInt(value) : value) as number) };
}

/** A tensor of integers, such as token ids. */
export function int64(dims: readonly number[], values: readonly number[]): Tensor {
  return { type: 'int64', dims, data: BigInt64Array.from(values, BigInt) };
}

/** The size of a fixed dimension; dynamic dimensions have a name or a number below 1. */
export function builtInSize(dim: number | string | undefined): number | undefined {
  return typeof dim === 'number' && dim > 0 ? dim : undefined;
}
