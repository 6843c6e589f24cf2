import type { ElementType, Tensor, TensorData } from '../contracts/graph.ts';
import { elementTypes } from '../core/onnx/element-types.ts';

export const tensorArrays: Readonly<
  Record<
    ElementType,
    {
      new (buffer: ArrayBuffer): TensorData;
      new (length: number): TensorData;
      readonly BYTES_PER_ELEMENT: number;
      readonly name: string;
    }
  >
> = {
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

/** @returns the type's number in the C API, and its array */
export function elementKind(type: string, label: string) {
  if (!Object.hasOwn(tensorArrays, type))
    throw new TypeError(`${label}: tensors of ${type} are not supported`);
  return { code: elementTypes[type as ElementType], array: tensorArrays[type as ElementType] };
}

export function countElements(dims: readonly number[], label: string): number {
  let count = 1;
  for (const dim of dims) {
    if (!Number.isSafeInteger(dim) || dim < 0) {
      const reason = `${label}: expected dimensions that are whole numbers from 0, got [${dims.join(', ')}]`;
      throw new RangeError(reason);
    }
    count *= dim;
  }
  if (!Number.isSafeInteger(count)) throw new RangeError(`${label}: [${dims.join(', ')}] is too large`);
  return count;
}

/** Checks that an array matches its type and dimensions: otherwise the runtime would read and write beyond its end. */
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

/** A tensor with all elements equal; half precision as bits. */
export function filled(type: ElementType, dims: readonly number[], value = 0): Tensor {
  const data = new tensorArrays[type](countElements(dims, type)) as Int32Array;
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
