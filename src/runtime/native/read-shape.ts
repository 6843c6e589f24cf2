import type { ElementType } from '../contract.ts';
import { elementTypeOf } from './element-types.ts';
import type { Api } from './load-api.ts';

export interface Shape {
  readonly type: ElementType;
  /** −1 where a graph leaves it open. */
  readonly dims: number[];
}

const int = new Int32Array(1);

/** Reads an `OrtTensorTypeAndShapeInfo`. */
export function readShape(api: Api, info: bigint): Shape {
  api.call('GetTensorElementType', info, int);
  const dims = new BigInt64Array(Number(api.find('GetDimensionsCount', info)));
  if (dims.length > 0) api.call('GetDimensions', info, dims, dims.length);
  return { type: elementTypeOf(int[0]!), dims: Array.from(dims, Number) };
}
