import { crc32 } from './crc.ts';
import { concatenate } from './reading.ts';

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
  header.set(new TextEncoder().encode('OggS'));
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
