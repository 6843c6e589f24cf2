import { concatenate, fromLatin1 } from './reading.ts';

export interface OggPageOptions {
  readonly serial: number;
  /** Page number in its stream, from 0. */
  readonly sequence: number;
  /** Samples up to the end of the last packet. */
  readonly position: number;
  readonly isFirst?: boolean;
  readonly isLast?: boolean;
}

const headerBytes = 27;
const maxSegmentBytes = 255;
const maxSegments = 255;

/**
 * Writes an Ogg page of whole packets.
 * @param packets at most 255 segments of up to 255 bytes in total
 * @see RFC 3533 §6
 */
export function writeOggPage(
  packets: readonly Uint8Array[],
  { serial, sequence, position, isFirst = false, isLast = false }: OggPageOptions,
): Uint8Array {
  const lengths = packets.flatMap(({ length }) => [
    ...Array.from({ length: Math.floor(length / maxSegmentBytes) }, () => maxSegmentBytes),
    length % maxSegmentBytes,
  ]);
  if (lengths.length > maxSegments)
    throw new RangeError(`packets: expected at most ${maxSegments} segments, got ${lengths.length}`);
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

/**
 * Creates a cyclic redundancy check: most significant bit first, no inversion, continued from the checksum of the
 * previous bytes. Data followed by its checksum yields 0.
 */
function createCrc(bits: 8 | 16 | 32, polynomial: number): (bytes: Uint8Array, before?: number) => number {
  const top = 2 ** (bits - 1);
  /** By the byte that is shifted out at the top. */
  const table = Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte * 2 ** (bits - 8);
    for (let bit = 0; bit < 8; bit++) crc = (crc >= top ? ((crc - top) * 2) ^ polynomial : crc * 2) >>> 0;
    return crc;
  });
  return (bytes, before = 0) => crcOf(bytes, before, table, (2 * top - 1) | 0, bits - 8);
}

function crcOf(bytes: Uint8Array, before: number, table: Uint32Array, mask: number, shift: number): number {
  let crc = before;
  for (let i = 0; i < bytes.length; i++) crc = ((crc << 8) & mask) ^ table[(crc >>> shift) ^ bytes[i]!]!;
  return crc >>> 0;
}

/** The CRC-8 of a FLAC frame header. */
export const crc8 = createCrc(8, 0x07);
/** The CRC-16 of a FLAC frame. */
export const crc16 = createCrc(16, 0x8005);
/** The CRC-32 of an Ogg page. */
export const crc32 = createCrc(32, 0x04c1_1db7);
