import type { ElementType } from '../../contracts/graph.ts';
import { tensorArrays } from '../../runtime/tensors.ts';

const elementTypes: ReadonlyMap<string, ElementType> = new Map(
  (Object.keys(tensorArrays) as ElementType[]).map((type) => [dataTypeOf(type), type]),
);

/** Element types by the names of the Open Inference Protocol. */
export const dataTypes: readonly string[] = [...elementTypes.keys()];

/** `FP32` → `float32`; `undefined` for an unknown type. */
export function elementTypeOf(datatype: string): ElementType | undefined {
  return elementTypes.get(datatype);
}

/** `float32` → `FP32` */
export function dataTypeOf(type: ElementType): string {
  return type.toUpperCase().replace('FLOAT', 'FP');
}
