import { concatenate, fromLatin1 } from './reading.ts';

export interface OggPageOptions {
  readonly serial: number;
  /** Number of the page in its stream, from 0. */
  readonly sequence: number;
  /** Samples up to the end of the last packet. */
  readonly position: number;
  readonly isFirst?: boolean;
  readonly isLast?: boolean;
}

const headerBytes = 27;
const longestSegment = 255;
const mostSegments = 255;

/**
 * Writes a page of an Ogg file that holds whole packets.
 * @param packets of together at most 255 segments, each of 255 bytes at most
 * @see RFC 3533 §6
 */
export function writeOggPage(
  packets: readonly Uint8Array[],
  { serial, sequence, position, isFirst = false, isLast = false }: OggPageOptions,
): Uint8Array {
  const lengths = packets.flatMap(({ length }) => [
    ...Array.from({ length: Math.floor(length / longestSegment) }, () => longestSegment),
    length % longestSegment,
  ]);
  if (lengths.length > mostSegments)
    throw new RangeError(`packets: expected at most ${mostSegments} segments, got ${lengths.length}`);
  const header = new Uint8Array(headerBytes);
  header.set(fromLatin1('OggS'));
  header[5] = (isFirst ? 2 : 0) + (isLast ? 4 : 0);
  header[26] = lengths.length;
  const page = concatenate([header, Uint8Array.from(lengths), ...packets]);
  const view = new DataView(page.buffer);
  view.setBigInt64(6, BigInt(position), true);
  view.setUint32(14, serial, true);
  view.setUint32(18, sequence, true);
  view.setUint32(22, crc32(page), true);
  return page;
}

/** Parameters of a cyclic redundancy check: most significant bit first, nothing inverted. */
interface CrcKind {
  readonly bits: 8 | 16 | 32;
  readonly polynomial: number;
}

/** By the value of a byte that was shifted out at the top. */
function createTable({ bits, polynomial }: CrcKind): Uint32Array {
  const top = 2 ** (bits - 1);
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte * 2 ** (bits - 8);
    for (let bit = 0; bit < 8; bit++) {
      crc = crc >= top ? ((crc - top) * 2) ^ polynomial : crc * 2;
      crc >>>= 0;
    }
    return crc;
  });
}

const table8 = createTable({ bits: 8, polynomial: 0x07 });
const table16 = createTable({ bits: 16, polynomial: 0x8005 });
const table32 = createTable({ bits: 32, polynomial: 0x04c1_1db7 });

/** The CRC-8 of a FLAC frame's header; 0 over a header with its own. */
export function crc8(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) crc = table8[crc ^ byte]!;
  return crc;
}

/** The CRC-16 of a FLAC frame, continued from that of the bytes before; 0 over a frame with its own. */
export function crc16(bytes: Uint8Array, before = 0): number {
  let crc = before;
  for (let i = 0; i < bytes.length; i++) crc = ((crc << 8) & 0xffff) ^ table16[(crc >> 8) ^ bytes[i]!]!;
  return crc;
}

/** The CRC-32 of an Ogg page, continued from that of the bytes before. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let crc = before;
  for (let i = 0; i < bytes.length; i++) crc = (crc << 8) ^ table32[(crc >>> 24) ^ bytes[i]!]!;
  return crc >>> 0;
}
