import { crc32 } from './crc.ts';
import { type Reading, toDataView } from './reading.ts';

/** A page of an Ogg file: pieces of packets of one stream. */
export interface OggPage {
  /** Expected start of the next page, in bytes. */
  readonly end: number;
  readonly serial: number;
  /** Whether its first piece goes on with a packet of the page before. */
  readonly isContinued: boolean;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** Samples up to the end of the last packet that ends here; `undefined` where none does. */
  readonly position: number | undefined;
  /** Segments of 0 to 255 bytes; one shorter than 255 ends a packet. */
  readonly pieceLengths: Uint8Array;
  readonly body: Uint8Array;
}

const headerBytes = 27;
const scanBytes = 2 ** 15;
const capture = [0x4f, 0x67, 0x67, 0x53] as const;

/**
 * The first page at or after `from` whose checksum is right, or that the file ends within.
 * @see RFC 3533 §6
 */
export function* readOggPage(from: number): Reading<OggPage | undefined> {
  for (let start = from; ;) {
    const header: Uint8Array = yield { offset: start, length: headerBytes };
    if (header.length < headerBytes) return undefined;
    if (capture.every((byte, index) => header[index] === byte) && header[4] === 0) {
      const page = yield* readPage(start, header);
      if (page !== undefined) return page;
    }
    start = yield* findCapture(start + 1);
  }
}

function* readPage(start: number, header: Uint8Array): Reading<OggPage | undefined> {
  const pieces = header[26]!;
  const pieceLengths: Uint8Array = yield { offset: start + headerBytes, length: pieces };
  const bodyStart = start + headerBytes + pieces;
  const length = pieceLengths.reduce((sum, piece) => sum + piece, 0);
  const body: Uint8Array = yield { offset: bodyStart, length };
  if (pieceLengths.length < pieces) return undefined;
  const view = toDataView(header);
  const flags = header[5]!;
  const position = Number(view.getBigInt64(6, true));
  const page: OggPage = {
    end: bodyStart + length,
    serial: view.getUint32(14, true),
    isContinued: (flags & 1) !== 0,
    isFirst: (flags & 2) !== 0,
    isLast: (flags & 4) !== 0,
    position: position < 0 ? undefined : position,
    pieceLengths,
    body,
  };
  if (body.length < length) {
    // Of a file that is cut off, the packets before the cut are good.
    return { ...page, isLast: false, position: undefined, pieceLengths: wholePieces(page) };
  }
  const unsigned = Uint8Array.from(header);
  unsigned.fill(0, 22, 26);
  return crc32(body, crc32(pieceLengths, crc32(unsigned))) === view.getUint32(22, true) ? page : undefined;
}

function wholePieces({ pieceLengths, body }: OggPage): Uint8Array {
  let length = 0;
  const cut = pieceLengths.findIndex((piece) => (length += piece) > body.length);
  return pieceLengths.subarray(0, cut);
}

/** Possible start of the next page; the end of the file if there is none. */
function* findCapture(from: number): Reading<number> {
  for (let start = from; ; start += scanBytes) {
    const bytes: Uint8Array = yield { offset: start, length: scanBytes + capture.length - 1 };
    for (let at = bytes.indexOf(capture[0]); at !== -1; at = bytes.indexOf(capture[0], at + 1)) {
      if (capture.every((byte, index) => bytes[at + index] === byte)) return start + at;
    }
    if (bytes.length < scanBytes) return start + bytes.length;
  }
}
