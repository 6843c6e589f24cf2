import { byteOfCharacter } from '../byte-characters.ts';
import { isHighSurrogate } from '../aligned-text.ts';
import { writeUtf8 } from '../models/utf8.ts';
import type { Decoder } from './decoder.ts';

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Takes characters for the bytes they stand for. A token with a character that stands for none is text. Bytes that are no
 * UTF-8 become U+FFFD.
 */
export const byteLevelDecoder: Decoder = (tokens) => {
  let room = 0;
  for (const token of tokens) room += 3 * token.length;
  const bytes = new Uint8Array(room);
  let length = 0;
  for (const token of tokens) {
    const end = writeBytes(bytes, length, token);
    length = end === -1 ? writeText(bytes, length, token) : end;
  }
  return [utf8.decode(bytes.subarray(0, length))];
};

/** −1 if a character stands for no byte. */
function writeBytes(bytes: Uint8Array, at: number, token: string): number {
  for (let index = 0; index < token.length; index++) {
    const byte = byteOfCharacter[token.charCodeAt(index)] ?? -1;
    if (byte === -1) return -1;
    bytes[at + index] = byte;
  }
  return at + token.length;
}

function writeText(bytes: Uint8Array, at: number, token: string): number {
  let end = at;
  for (let index = 0; index < token.length; index++) {
    if (isHighSurrogate(token.charCodeAt(index))) end = writeUtf8(bytes, end, token.codePointAt(index++)!);
    else end = writeUtf8(bytes, end, token.charCodeAt(index));
  }
  return end;
}
