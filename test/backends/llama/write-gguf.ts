import type { GgufValue } from '../../../src/core/gguf/read-metadata.ts';

/** Numbers of metadata have a type of their own in the file: integers are written as `uint32`, these as `float32`. */
export const float = (value: number) => ({ float32: value });

export type WrittenValue = GgufValue | ReturnType<typeof float> | Int32Array;

export interface WrittenTensor {
  readonly name: string;
  /** Row-major, the fastest dimension last. */
  readonly dims: readonly number[];
  readonly values: Float32Array;
}

const alignment = 32;
const types = { uint32: 4, int32: 5, float32: 6, bool: 7, text: 8, list: 9 };
const padded = (length: number): number => Math.ceil(length / alignment) * alignment;

/**
 * Writes a GGUF file of version 3 with float32 tensors.
 *
 * @see https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */
export function writeGguf(
  metadata: Readonly<Record<string, WrittenValue>>,
  tensors: readonly WrittenTensor[],
): Uint8Array {
  const parts: Uint8Array[] = [];
  const put = (size: number, write: (view: DataView) => void): void => {
    const view = new DataView(new ArrayBuffer(size));
    write(view);
    parts.push(new Uint8Array(view.buffer));
  };
  const int = (value: number) => put(4, (view) => view.setUint32(0, value, true));
  const long = (value: number) => put(8, (view) => view.setBigUint64(0, BigInt(value), true));
  const text = (value: string) => {
    const bytes = new TextEncoder().encode(value);
    long(bytes.length);
    parts.push(bytes);
  };
  const typeOf = (value: WrittenValue): number => {
    if (typeof value === 'string') return types.text;
    if (typeof value === 'boolean') return types.bool;
    if (typeof value === 'number') return types.uint32;
    if (value instanceof Int32Array) return types.int32;
    return 'float32' in value ? types.float32 : types.list;
  };
  const put1 = (value: WrittenValue): void => {
    if (typeof value === 'string') text(value);
    else if (typeof value === 'boolean') put(1, (view) => view.setUint8(0, Number(value)));
    else if (typeof value === 'number') int(value);
    else if ('float32' in value) put(4, (view) => view.setFloat32(0, value.float32, true));
    else {
      int(value instanceof Int32Array ? types.int32 : typeOf(value[0] ?? ''));
      long(value.length);
      for (const one of value) put1(one);
    }
  };

  parts.push(new TextEncoder().encode('GGUF'));
  int(3);
  long(tensors.length);
  long(Object.keys(metadata).length);
  for (const [key, value] of Object.entries(metadata)) {
    text(key);
    int(value instanceof Int32Array ? types.list : typeOf(value));
    put1(value);
  }
  let offset = 0;
  for (const { name, dims, values } of tensors) {
    text(name);
    int(dims.length);
    for (const size of dims.toReversed()) long(size);
    int(0);
    long(offset);
    offset += padded(4 * values.length);
  }
  const header = parts.reduce((sum, part) => sum + part.length, 0);
  const bytes = new Uint8Array(padded(header) + offset);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  at = padded(header);
  for (const { values } of tensors) {
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, 4 * values.length), at);
    at += padded(4 * values.length);
  }
  return bytes;
}
