import { isHighSurrogate } from '../aligned-text.ts';

/** UTF-8 bytes of the character whose first code unit is `unit`. */
export function utf8Length(unit: number): number {
  if (unit < 0x80) return 1;
  if (unit < 0x8_00) return 2;
  return isHighSurrogate(unit) ? 4 : 3;
}

/** UTF-8 bytes of the well-formed `units[start, end)`. */
export function utf8LengthOf(units: Uint16Array, start: number, end: number): number {
  let length = 0;
  for (let index = start; index < end; index++) {
    const unit = units[index]!;
    if (isHighSurrogate(unit)) index++;
    length += utf8Length(unit);
  }
  return length;
}

/** Writes the bytes of a character to `bytes` from `at` on. @returns their end */
export function writeUtf8(bytes: Uint8Array | Int32Array, at: number, codePoint: number): number {
  if (codePoint < 0x80) {
    bytes[at] = codePoint;
    return at + 1;
  }
  if (codePoint < 0x8_00) {
    bytes[at] = 0xc0 | (codePoint >> 6);
    bytes[at + 1] = 0x80 | (codePoint & 0x3f);
    return at + 2;
  }
  if (codePoint < 0x1_00_00) {
    bytes[at] = 0xe0 | (codePoint >> 12);
    bytes[at + 1] = 0x80 | ((codePoint >> 6) & 0x3f);
    bytes[at + 2] = 0x80 | (codePoint & 0x3f);
    return at + 3;
  }
  bytes[at] = 0xf0 | (codePoint >> 18);
  bytes[at + 1] = 0x80 | ((codePoint >> 12) & 0x3f);
  bytes[at + 2] = 0x80 | ((codePoint >> 6) & 0x3f);
  bytes[at + 3] = 0x80 | (codePoint & 0x3f);
  return at + 4;
}
