/** `TensorProto.DataType` numbers by onnxruntime's names. */
export const elementTypes = {
  float32: 1,
  uint8: 2,
  int8: 3,
  uint16: 4,
  int16: 5,
  int32: 6,
  int64: 7,
  string: 8,
  bool: 9,
  float16: 10,
  float64: 11,
  uint32: 12,
  uint64: 13,
  bfloat16: 16,
} as const;

export type ElementTypeName = keyof typeof elementTypes;

export const elementTypeNames: ReadonlyMap<number, ElementTypeName> = new Map(
  Object.entries(elementTypes).map(([name, number]) => [number, name as ElementTypeName]),
);

/** The name of a `TensorProto.DataType`; `undefined` for unsupported types. */
export function elementTypeName(elementType: number | undefined): ElementTypeName | undefined {
  return elementType === undefined ? undefined : elementTypeNames.get(elementType);
}

/** Bytes per element; `undefined` for strings and for types smaller than a byte. */
export function elementBytes(elementType: number): number | undefined {
  const name = elementTypeName(elementType);
  if (name === undefined || name === 'string') return undefined;
  return name === 'bool' ? 1 : Number(name.match(/\d+$/)![0]) / 8;
}
