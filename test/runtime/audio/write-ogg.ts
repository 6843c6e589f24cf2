import { crc32 } from '../../../src/core/audio/containers/ogg-stream.ts';

export interface OggPageOptions {
  readonly serial?: number;
  readonly isContinued?: boolean;
  readonly isFirst?: boolean;
  readonly isLast?: boolean;
  readonly position?: number;
  /** Whether the last packet goes on on the next page; its length is a multiple of 255 then. */
  readonly isUnfinished?: boolean;
}

/** A page of an Ogg file. */
export function oggPage(packets: readonly Uint8Array[], options: OggPageOptions = {}): Uint8Array {
  const { serial = 1, isContinued, isFirst, isLast, position = 0, isUnfinished } = options;
  const lengths = packets.flatMap(({ length }) => [
    ...Array(Math.floor(length / 255)).fill(255),
    length % 255,
  ]);
  if (isUnfinished) lengths.pop();
  const header = new Uint8Array(27);
  header.set(Buffer.from('OggS'));
  header[5] = Number(isContinued ?? 0) + 2 * Number(isFirst ?? 0) + 4 * Number(isLast ?? 0);
  header[26] = lengths.length;
  const view = new DataView(header.buffer);
  view.setBigInt64(6, BigInt(position), true);
  view.setUint32(14, serial, true);
  const page = Buffer.concat([header, Uint8Array.from(lengths), ...packets]);
  page.writeUInt32LE(crc32(page), 22);
  return page;
}
