import { assertArray, assertText } from '../assert-values.ts';
const signatureLength = 8;
/** Length, type and checksum around a chunk's data. */
const chunkOverhead = 12;
const utf8 = new TextEncoder();

/**
 * Adds a text to a PNG: an uncompressed `iTXt` chunk after the header.
 *
 * @param png not modified
 * @param keyword Latin-1, 1 to 79 characters, such as `parameters`
 * @param text NULs are removed, since the chunk can't contain them
 * @see https://www.w3.org/TR/png-3/#11iTXt
 *
 * @example
 * ```ts
 * addPngText(png, 'Description', 'a red circle').length - png.length; // 40
 * ```
 */
export function addPngText(png: Uint8Array, keyword: string, text: string): Uint8Array {
  assertArray('png', png, Uint8Array, { least: signatureLength + chunkOverhead });
  assertText('keyword', keyword);
  assertText('text', text);
  // After the keyword: its terminator, no compression, no method, no language, no translated keyword.
  const data = utf8.encode(`${keyword}\0\0\0\0\0${text.replaceAll('\0', '')}`);
  const header = new DataView(png.buffer, png.byteOffset).getUint32(signatureLength);
  const place = signatureLength + chunkOverhead + header;
  const described = new Uint8Array(png.length + chunkOverhead + data.length);
  described.set(png.subarray(0, place));
  described.set(png.subarray(place), place + chunkOverhead + data.length);
  const view = new DataView(described.buffer);
  view.setUint32(place, data.length);
  described.set(utf8.encode('iTXt'), place + 4);
  described.set(data, place + 8);
  view.setUint32(place + 8 + data.length, crc32(described.subarray(place + 4, place + 8 + data.length)));
  return described;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** The checksum of ISO 3309. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = crcTable[(crc ^ byte) & 255]! ^ (crc >>> 8);
  return ~crc >>> 0;
}
