import type { ElementType, TensorData } from '../../contracts/graph.ts';

/** Element types as the Open Inference Protocol names them. */
export const elementTypes = {
  FP32: 'float32',
  FP16: 'float16',
  FP64: 'float64',
  INT64: 'int64',
  INT32: 'int32',
  INT16: 'int16',
  INT8: 'int8',
  UINT16: 'uint16',
  UINT8: 'uint8',
  BOOL: 'bool',
} as const satisfies Readonly<Record<string, ElementType>>;

export type WireType = keyof typeof elementTypes;

interface TypedArrayConstructor {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer): TensorData;
  new (length: number): TensorData;
}

const arrays: Readonly<Record<ElementType, TypedArrayConstructor>> = {
  float32: Float32Array,
  float16: Uint16Array,
  float64: Float64Array,
  int64: BigInt64Array,
  int32: Int32Array,
  int16: Int16Array,
  int8: Int8Array,
  uint16: Uint16Array,
  uint8: Uint8Array,
  bool: Uint8Array,
};

const wireTypes = new Map<ElementType, WireType>(
  Object.entries(elementTypes).map(([wire, type]) => [type, wire as WireType]),
);

/** `FP32` → `float32`; `undefined` for what is no such type. */
export function elementTypeOf(datatype: string): ElementType | undefined {
  return Object.hasOwn(elementTypes, datatype) ? elementTypes[datatype as WireType] : undefined;
}

/** `float32` → `FP32` */
export function dataTypeOf(type: ElementType): WireType {
  return wireTypes.get(type)!;
}

/** The typed array that holds elements of a type. */
export function arrayOf(type: ElementType): TypedArrayConstructor {
  return arrays[type];
}
