import type { Tensor } from '../contracts/graph.ts';

/** A tensor of whole numbers, such as ids of tokens. */
export function int64(dims: readonly number[], values: readonly number[]): Tensor {
  return { type: 'int64', dims, data: BigInt64Array.from(values, BigInt) };
}
