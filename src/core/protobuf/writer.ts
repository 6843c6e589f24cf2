import { grown } from '../sampling/scratch.ts';
import { wireType } from './reader.ts';

const encoder = new TextEncoder();

/** Writes the protobuf wire format into a growing buffer. */
export class WireWriter {
  #bytes = new Uint8Array(256);
  #length = 0;

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** Appends complete fields unchanged. */
  raw(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  bytes(field: number, content: Uint8Array): this {
    this.#varint(BigInt(field * 8 + wireType.bytes));
    this.#varint(BigInt(content.length));
    return this.raw(content);
  }

  text(field: number, content: string): this {
    return this.bytes(field, encoder.encode(content));
  }

  integer(field: number, value: number | bigint): this {
    this.#varint(BigInt(field * 8 + wireType.varint));
    this.#varint(BigInt.asUintN(64, BigInt(value)));
    return this;
  }

  float(field: number, value: number): this {
    this.#varint(BigInt(field * 8 + wireType.fixed32));
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setFloat32(0, value, true);
    return this.raw(bytes);
  }

  message(field: number, write: (writer: WireWriter) => void): this {
    const inner = new WireWriter();
    write(inner);
    return this.bytes(field, inner.#bytes.subarray(0, inner.#length));
  }

  #varint(value: bigint): void {
    this.#reserve(10);
    let rest = value;
    while (rest > 127n) {
      this.#bytes[this.#length++] = Number(rest & 127n) | 128;
      rest >>= 7n;
    }
    this.#bytes[this.#length++] = Number(rest);
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    this.#bytes = grown(this.#bytes, Math.max(2 * this.#bytes.length, this.#length + count));
  }
}
