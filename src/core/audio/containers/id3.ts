import type { Reading } from './reading.ts';

const maxTags = 16;

/**
 * Start of a file's content, after any ID3v2 tags.
 *
 * @see https://id3.org/id3v2.4.0-structure
 */
export function* skipId3Tags(): Reading<number> {
  let offset = 0;
  for (let tag = 0; tag < maxTags; tag++) {
    const header: Uint8Array = yield { offset, length: 10 };
    const length = id3TagLength(header);
    if (length === 0) break;
    offset += length;
  }
  return offset;
}

/** In bytes, header and footer included; 0 where there is no tag. */
function id3TagLength(header: Uint8Array): number {
  const [i, d, three, major, , flags, a, b, c, last] = header;
  if (i !== 0x49 || d !== 0x44 || three !== 0x33 || last === undefined) return 0;
  if (major === 0xff || ((a! | b! | c! | last) & 0x80) !== 0) return 0;
  const hasFooter = (flags! & 0x10) !== 0;
  return 10 + ((a! << 21) | (b! << 14) | (c! << 7) | last) + (hasFooter ? 10 : 0);
}
