import type { ElementType, Tensor, TensorData } from '../../contracts/graph.ts';

interface ElementKind {
  /** `ONNXTensorElementDataType` of the C API. */
  readonly code: number;
  readonly array: {
    new (buffer: ArrayBuffer): TensorData;
    new (length: number): TensorData;
    readonly BYTES_PER_ELEMENT: number;
    readonly name: string;
  };
}

const kinds: Readonly<Record<ElementType, ElementKind>> = {
  float32: { code: 1, array: Float32Array },
  uint8: { code: 2, array: Uint8Array },
  int8: { code: 3, array: Int8Array },
  uint16: { code: 4, array: Uint16Array },
  int16: { code: 5, array: Int16Array },
  int32: { code: 6, array: Int32Array },
  int64: { code: 7, array: BigInt64Array },
  bool: { code: 9, array: Uint8Array },
  float16: { code: 10, array: Uint16Array },
  float64: { code: 11, array: Float64Array },
};
/** Types that graphs may declare and tensors here can't have. */
const otherNames: Readonly<Record<number, string>> = {
  8: 'string',
  12: 'uint32',
  13: 'uint64',
  16: 'bfloat16',
};
const names = new Map(Object.entries(kinds).map(([name, { code }]) => [code, name]));

export function elementKind(type: string, label: string): ElementKind {
  const kind = Object.hasOwn(kinds, type) ? kinds[type as ElementType] : undefined;
  if (!kind) throw new TypeError(`${label}: tensors of ${type} are not supported`);
  return kind;
}

/** Names the type of a code; some names are of types of which there are no tensors here. */
export function elementTypeOf(code: number): ElementType {
  return (names.get(code) ?? otherNames[code] ?? `type ${code}`) as ElementType;
}

export function countElements(dims: readonly number[], label: string): number {
  let count = 1;
  for (const dim of dims) {
    if (!Number.isSafeInteger(dim) || dim < 0) {
      throw new RangeError(
        `${label}: expected dimensions that are whole numbers from 0, got [${dims.join(', ')}]`,
      );
    }
    count *= dim;
  }
  if (!Number.isSafeInteger(count)) throw new RangeError(`${label}: [${dims.join(', ')}] is too large`);
  return count;
}

/** Checks that an array is what type and dimensions say: the runtime would read and write beyond its end. */
export function assertTensor({ type, dims, data }: Tensor, label: string): void {
  const { array } = elementKind(type, label);
  if (!(data instanceof (array as unknown as typeof Uint8Array)))
    throw new TypeError(`${label}: expected ${array.name} for ${type}, got ${nameOf(data)}`);
  const { buffer } = data as Uint8Array;
  if (!(buffer instanceof ArrayBuffer) || (buffer as { resizable?: boolean }).resizable === true)
    throw new TypeError(`${label}: expected memory that is neither shared nor resizable`);
  const count = countElements(dims, label);
  const { length } = data as Uint8Array;
  if (count !== length)
    throw new RangeError(`${label}: expected ${count} elements for [${dims.join(', ')}], got ${length}`);
}

function nameOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? value.constructor.name : typeof value;
}
