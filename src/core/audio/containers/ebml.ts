import type { Reading } from './reading.ts';

/** An element of an EBML file with its content still unread. */
export interface EbmlElement {
  /** With its length marker, as in the specification: `0x1a45dfa3`. */
  readonly id: number;
  /** Start of the content, in bytes. */
  readonly start: number;
  /** Bytes of the content; `Infinity` if the file doesn't specify it. */
  readonly length: number;
}

const maxHeaderBytes = 12;
const nothing: Uint8Array = new Uint8Array();

export function* readEbmlElement(offset: number): Reading<EbmlElement | undefined> {
  return toElement(yield { offset, length: maxHeaderBytes }, offset);
}

/** The consecutive elements in `bytes`; stops at a damaged or truncated element. */
export function* ebmlElements(
  bytes: Uint8Array,
): Generator<{ readonly id: number; readonly content: Uint8Array }> {
  let at = 0;
  while (at < bytes.length) {
    const element = toElement(bytes.subarray(at), at);
    if (element === undefined || element.start + element.length > bytes.length) return;
    at = element.start + element.length;
    yield { id: element.id, content: bytes.subarray(element.start, at) };
  }
}

/** The contents of the child elements, by id. */
export function toFields(content = nothing): ReadonlyMap<number, Uint8Array> {
  return new Map(Array.from(ebmlElements(content), ({ id, content: field }) => [id, field]));
}

/** A number whose first bits encode its length in bytes. */
export interface VariableInteger {
  readonly value: number;
  readonly bytes: number;
  /** Whether all its bits are ones, which means an unknown length. */
  readonly isUnknown: boolean;
}

/** @returns `undefined` for a truncated integer */
export function toVariableInteger(bytes: Uint8Array, at = 0): VariableInteger | undefined {
  const first = bytes[at];
  if (first === undefined || first === 0) return undefined;
  const length = Math.clz32(first) - 23;
  if (at + length > bytes.length) return undefined;
  let value = first - 2 ** (8 - length);
  let isUnknown = value === 2 ** (8 - length) - 1;
  for (let i = 1; i < length; i++) {
    value = value * 256 + bytes[at + i]!;
    isUnknown &&= bytes[at + i] === 255;
  }
  return { value, bytes: length, isUnknown };
}

export function toUnsigned(content = nothing): number {
  return content.reduce((value, byte) => value * 256 + byte, 0);
}

export function toSigned(content = nothing): number {
  const value = toUnsigned(content);
  return (content[0] ?? 0) < 128 ? value : value - 256 ** content.length;
}

export function toFloat(content = nothing): number {
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  if (content.length === 4) return view.getFloat32(0);
  return content.length === 8 ? view.getFloat64(0) : 0;
}

function toElement(bytes: Uint8Array, offset: number): EbmlElement | undefined {
  const id = toVariableInteger(bytes);
  if (id === undefined || id.bytes > 4) return undefined;
  const length = toVariableInteger(bytes, id.bytes);
  if (length === undefined) return undefined;
  return {
    id: toUnsigned(bytes.subarray(0, id.bytes)),
    start: offset + id.bytes + length.bytes,
    length: length.isUnknown ? Infinity : length.value,
  };
}
