import type { ElementType } from '../../contracts/graph.ts';
import { tensorArrays } from '../../runtime/native/element-types.ts';

const elementTypes: ReadonlyMap<string, ElementType> = new Map(
  (Object.keys(tensorArrays) as ElementType[]).map((type) => [dataTypeOf(type), type]),
);

/** Element types as the Open Inference Protocol names them. */
export const dataTypes: readonly string[] = [...elementTypes.keys()];

/** `FP32` → `float32`; `undefined` for what is no such type. */
export function elementTypeOf(datatype: string): ElementType | undefined {
  return elementTypes.get(datatype);
}

/** `float32` → `FP32` */
export function dataTypeOf(type: ElementType): string {
  return type.toUpperCase().replace('FLOAT', 'FP');
}
