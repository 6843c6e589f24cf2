import { ContainerError, findMark, type Reading, toLatin1, concatenate, toDataView } from './reading.ts';
import { crc32 } from './ogg-stream.ts';

/** The audio codecs that are read from Ogg. */
export type OggCodec = 'opus' | 'vorbis' | 'flac';

/** A stream of packets in an Ogg file. */
export interface OggStream {
  readonly codec: OggCodec;
  /** Its first packet. */
  readonly head: Uint8Array;
}

export interface OggPacket {
  readonly bytes: Uint8Array;
  /** Samples of the stream up to the end of this packet, where the file says so. */
  readonly position: number | undefined;
  /** Whether the stream ends with it; what goes beyond `position` is padding then. */
  readonly isLast: boolean;
}

export interface OggReader {
  /** The next stream of audio: the first one of the file, and after its end the one that follows it in a chained file. */
  openStream(): Reading<OggStream | undefined>;
  /** The next packet after the stream's first. @returns `undefined` at the end of the stream */
  nextPacket(): Reading<OggPacket | undefined>;
}

/** Bytes of a packet that are kept: only comments with pictures in them are longer. */
const maxPacketBytes = 2 ** 20;

/**
 * Reads the first audio stream of an Ogg file, and those chained to it. Damaged pages are skipped.
 * @param start where the first page is looked for, in bytes
 * @see RFC 3533
 */
export function createOggReader(start = 0): OggReader {
  let offset = start;
  let isOpened = false;
  let serial = 0;
  let page: OggPage | undefined;
  /** Pieces and bytes of `page` that have been read. */
  let pieces = 0;
  let bytes = 0;
  let isEnded = true;

  function* openStream(): Reading<OggStream | undefined> {
    const others = new Set<string>();
    let stream: OggStream | undefined;
    for (;;) {
      const first: OggPage | undefined = yield* readOggPage(offset);
      if (first === undefined) break;
      // The first pages of all streams come before any other page.
      if (!first.isFirst && (stream !== undefined || others.size > 0)) break;
      offset = first.end;
      if (!first.isFirst || stream !== undefined) continue;
      const head = first.body.slice(0, firstPacketLength(first));
      const codec = find(codecs, head);
      if (codec === undefined) {
        others.add(find(otherCodecs, head) ?? 'something unknown');
      } else {
        stream = { codec, head };
        serial = first.serial;
      }
    }
    if (stream === undefined && !isOpened) {
      throw new ContainerError(
        others.size === 0 ? 'a damaged Ogg file' : `an Ogg file with ${[...others].join(' and ')} in it`,
      );
    }
    isOpened = true;
    isEnded = stream === undefined;
    page = undefined;
    return stream;
  }

  function* nextPacket(): Reading<OggPacket | undefined> {
    let parts: Uint8Array[] = [];
    let length = 0;
    for (;;) {
      if (isEnded) return undefined;
      if (page === undefined || pieces === page.pieceLengths.length) {
        const next: OggPage | undefined = yield* readOggPage(offset);
        if (next === undefined || next.isFirst) {
          isEnded = true;
          return undefined;
        }
        offset = next.end;
        if (next.serial !== serial) continue;
        page = next;
        pieces = bytes = 0;
        if (next.isContinued && parts.length === 0) takePiece(next);
        else if (!next.isContinued) parts = [];
        length = parts.reduce((sum, part) => sum + part.length, 0);
        continue;
      }
      const piece = takePiece(page);
      if (length < maxPacketBytes) parts.push(piece.bytes);
      length += piece.bytes.length;
      if (!piece.isEnd) continue;
      const isLastOfPage = lastPacketEnd(page) === pieces;
      return {
        bytes: parts.length === 1 ? piece.bytes : concatenate(parts),
        position: isLastOfPage ? page.position : undefined,
        isLast: isLastOfPage && page.isLast,
      };
    }
  }

  /** The next bytes of `page` that belong to one packet. */
  function takePiece({ pieceLengths, body }: OggPage): {
    readonly bytes: Uint8Array;
    readonly isEnd: boolean;
  } {
    const from = bytes;
    while (pieces < pieceLengths.length) {
      const length = pieceLengths[pieces++]!;
      bytes += length;
      if (length < 255) return { bytes: body.subarray(from, bytes), isEnd: true };
    }
    return { bytes: body.subarray(from, bytes), isEnd: false };
  }

  return { openStream, nextPacket };
}

const codecs: readonly (readonly [mark: string, OggCodec])[] = [
  ['OpusHead', 'opus'],
  ['\x01vorbis', 'vorbis'],
  ['\x7fFLAC', 'flac'],
];

const otherCodecs: readonly (readonly [mark: string, name: string])[] = [
  ['Speex   ', 'Speex audio'],
  ['CELT    ', 'CELT audio'],
  ['PCM     ', 'PCM audio'],
  ['\x80theora', 'Theora video'],
  ['BBCD', 'Dirac video'],
  ['OVP80', 'VP8 video'],
  ['\x01video', 'video'],
  ['fishead', 'a skeleton'],
  ['CMML', 'text'],
  ['\x80kate', 'text'],
];

/** Finds the entry whose mark begins a packet. */
function find<T>(marked: readonly (readonly [mark: string, T])[], packet: Uint8Array): T | undefined {
  const beginning = toLatin1(packet.subarray(0, 8));
  return marked.find(([mark]) => beginning.startsWith(mark))?.[1];
}

function firstPacketLength({ pieceLengths }: OggPage): number {
  const end = pieceLengths.findIndex((length) => length < 255);
  return pieceLengths.subarray(0, end + 1).reduce((sum, length) => sum + length, 0);
}

/** Counted in pieces; 0 where no packet ends on the page. */
function lastPacketEnd({ pieceLengths }: OggPage): number {
  return pieceLengths.findLastIndex((length) => length < 255) + 1;
}

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
    const next = yield* findMark(capture, start + 1);
    if (next === undefined) return undefined;
    start = next;
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
    // The packets before the cut of a file that is cut off are good.
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
