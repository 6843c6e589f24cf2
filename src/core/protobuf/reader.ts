/** The protobuf wire types in ONNX files. */
export const wireType = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

const fixedLengths: Readonly<Record<number, number>> = { [wireType.fixed64]: 8, [wireType.fixed32]: 4 };

/** A field of a protobuf message: its position in the source. */
export interface WireField {
  readonly number: number;
  readonly type: number;
  /** Offset of its tag. */
  readonly start: number;
  /** Offset of its content, after tag and length. */
  readonly content: number;
  /** Offset after its content. */
  readonly end: number;
}

/** Minimum bytes per read. */
const windowBytes = 65_536;
/** Limit of decoded contents; larger ones are tensor data, which isn't loaded. */
const maxContentBytes = 2 ** 26;
const maxVarintBytes = 10;
const decoder = new TextDecoder();

/**
 * Reads the protobuf wire format from a source. Every offset is checked against the end of its message, so that a wrong
 * length causes an error.
 * @see https://protobuf.dev/programming-guides/encoding/
 */
export class WireReader {
  readonly source: ByteSource;
  #window: Uint8Array = new Uint8Array(0);
  #windowStart = 0;

  constructor(source: ByteSource) {
    this.source = source;
  }

  /** Reads the tag and the length of the field at `start`. */
  field(start: number, end: number): WireField {
    const tag = this.#varint(start, end);
    const number = Math.floor(tag.value / 8);
    const type = tag.value % 8;
    if (number === 0) throw new RangeError(`protobuf field: expected a number above 0, got 0 at ${start}`);
    let content = tag.end;
    let length = fixedLengths[type];
    if (type === wireType.varint) length = this.#varint(content, end).end - content;
    else if (type === wireType.bytes) ({ value: length, end: content } = this.#varint(content, end));
    if (length === undefined)
      throw new RangeError(`protobuf field: expected wire type 0, 1, 2 or 5, got ${type} at ${start}`);
    if (length > end - content) {
      throw new RangeError(
        `protobuf field: expected at most ${end - content} bytes, got ${length} at ${start}`,
      );
    }
    return { number, type, start, content, end: content + length };
  }

  /** All fields of the message between two offsets, in order. */
  *fields(start: number, end: number): Generator<WireField> {
    for (let at = start; at < end;) {
      const field = this.field(at, end);
      yield field;
      at = field.end;
    }
  }

  /** A copy of the bytes between two offsets. */
  bytes(start: number, end: number): Uint8Array {
    const length = end - start;
    if (length > maxContentBytes)
      throw new RangeError(`protobuf field: expected at most ${maxContentBytes} bytes, got ${length}`);
    return this.#view(start, length).slice();
  }

  text({ content, end, type }: WireField): string {
    expectType(type, wireType.bytes);
    if (end - content > maxContentBytes)
      throw new RangeError(`protobuf text: too long: ${end - content} bytes`);
    return decoder.decode(this.#view(content, end - content));
  }

  /** An int64. */
  integer(field: WireField): bigint {
    expectType(field.type, wireType.varint);
    return this.#bigVarint(field.content, field.end).value;
  }

  /** An int64 that must be exact as a number. */
  number(field: WireField): number {
    return toNumber(this.integer(field));
  }

  /** The items of a repeated int64: a single one, or all of a packed field. */
  integers({ type, content, end }: WireField): bigint[] {
    if (type === wireType.varint) return [this.#bigVarint(content, end).value];
    expectType(type, wireType.bytes);
    const values: bigint[] = [];
    for (let at = content; at < end;) {
      const item = this.#bigVarint(at, end);
      values.push(item.value);
      at = item.end;
    }
    return values;
  }

  float({ type, content }: WireField): number {
    expectType(type, wireType.fixed32);
    const bytes = this.#view(content, 4);
    return new DataView(bytes.buffer, bytes.byteOffset, 4).getFloat32(0, true);
  }

  /** A view of bytes, from the window if possible. */
  #view(start: number, length: number): Uint8Array {
    const offset = start - this.#windowStart;
    if (offset >= 0 && offset + length <= this.#window.length)
      return this.#window.subarray(offset, offset + length);
    const { size } = this.source;
    if (length > size - start)
      throw new RangeError(`protobuf: expected ${length} bytes at ${start}, got the end`);
    const wanted = Math.min(Math.max(length, windowBytes), size - start);
    const read = this.source.read(start, wanted);
    if (read.length !== wanted)
      throw new RangeError(`protobuf: expected ${wanted} bytes at ${start}, got ${read.length}`);
    this.#window = read;
    this.#windowStart = start;
    return read.subarray(0, length);
  }

  /** A tag or a length: an unsigned number. */
  #varint(start: number, end: number): { value: number; end: number } {
    const bytes = this.#view(start, Math.min(maxVarintBytes, end - start));
    let value = 0;
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index]!;
      value += (byte & 127) * 2 ** (7 * index);
      if (byte < 128) return { value, end: start + index + 1 };
    }
    throw new RangeError(`protobuf number: expected an end within ${bytes.length} bytes at ${start}`);
  }

  #bigVarint(start: number, end: number): { value: bigint; end: number } {
    const number = this.#varint(start, end);
    const bytes = this.#view(start, number.end - start);
    let value = 0n;
    for (let index = bytes.length - 1; index >= 0; index--)
      value = (value << 7n) | BigInt(bytes[index]! & 127);
    return { value: BigInt.asIntN(64, value), end: number.end };
  }
}

/** @throws RangeError if the number isn't exact */
export function toNumber(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`number: expected a safe integer, got ${value}`);
  return number;
}

function expectType(type: number, expected: number): void {
  if (type !== expected) throw new RangeError(`protobuf field: expected wire type ${expected}, got ${type}`);
}

/** Random access to bytes, so that a file of many gigabytes needs no memory of that size. */
export interface ByteSource {
  /** Total bytes. */
  readonly size: number;
  /**
   * Reads `length` bytes, which must all be within the source.
   * @returns bytes that the caller must not modify; they may be a view of larger memory
   */
  read(offset: number, length: number): Uint8Array;
}

/** A source of bytes in memory. */
export function sourceOfBytes(bytes: Uint8Array): ByteSource {
  // Node's buffers have methods of the same name that share memory.
  const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    size: plain.length,
    read: (offset, length) => plain.subarray(offset, offset + length),
  };
}
