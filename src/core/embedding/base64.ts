import { assertArray, assertText } from '../assert-values.ts';
import { fromUnits } from '../tokenization/code-units.ts';

const alphabet = new TextEncoder().encode('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const digitOfCharacter = new Int16Array(256).fill(-1);
alphabet.forEach((character, digit) => (digitOfCharacter[character] = digit));

/**
 * Encodes a vector as base64 of little-endian float32, the format of `encoding_format: "base64"`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc4648#section-4
 *
 * @example
 * ```ts
 * encodeFloat32(Float32Array.of(1)); // 'AACAPw=='
 * ```
 */
export function encodeFloat32(vector: Float32Array): string {
  assertArray('vector', vector, Float32Array);
  const bytes = new Uint8Array(4 * vector.length);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < vector.length; index++) view.setFloat32(4 * index, vector[index]!, true);
  return btoa(fromUnits(new Uint16Array(bytes)));
}

/**
 * Decodes a vector from the format of `encodeFloat32`.
 *
 * @param text padded base64
 * @throws RangeError for text that is not base64 or not a whole number of float32 values
 *
 * @example
 * ```ts
 * decodeFloat32('AACAPw=='); // [1]
 * ```
 */
export function decodeFloat32(text: string): Float32Array {
  assertText('text', text);
  const digits = text.endsWith('==') ? text.length - 2 : text.endsWith('=') ? text.length - 1 : text.length;
  const length = Math.floor((digits * 3) / 4);
  if (text.length % 4 !== 0 || length % 4 !== 0)
    throw new RangeError(`text: expected base64 of whole float32 values, got ${text.length} characters`);
  const bytes = new Uint8Array(length);
  for (let from = 0, to = 0; from < digits; from += 4, to += 3) {
    let bits = 0;
    for (let at = from; at < from + 4; at++) {
      const digit = at < digits ? (digitOfCharacter[text.charCodeAt(at)] ?? -1) : 0;
      if (digit < 0) throw new RangeError(`text: expected base64, got ${JSON.stringify(text[at])} at ${at}`);
      bits = (bits << 6) | digit;
    }
    bytes[to] = bits >> 16;
    if (to + 1 < length) bytes[to + 1] = bits >> 8;
    if (to + 2 < length) bytes[to + 2] = bits;
  }
  const view = new DataView(bytes.buffer);
  return Float32Array.from({ length: length / 4 }, (_, index) => view.getFloat32(4 * index, true));
}
