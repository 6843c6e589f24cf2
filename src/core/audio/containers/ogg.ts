import { ContainerError, findMark, type Reading, toLatin1, concatenate, toDataView } from './reading.ts';
import { crc32 } from './ogg-stream.ts';

export type OggCodec = 'opus' | 'vorbis' | 'flac';

export interface OggStream {
  readonly codec: OggCodec;
  /** Its first packet. */
  readonly head: Uint8Array;
}

export interface OggPacket {
  readonly bytes: Uint8Array;
  /** Samples of the stream up to the end of this packet, if the file has this position. */
  readonly position: number | undefined;
  /** Whether the stream ends with this packet; samples beyond `position` are padding then. */
  readonly isLast: boolean;
}

/** Maximum bytes kept per packet: only comments with embedded pictures are longer. */
const maxPacketBytes = 2 ** 20;

/**
 * Reads the first audio stream of an Ogg file and the streams chained to it. Damaged pages are skipped.
 * @param start where the search for the first page begins, in bytes
 * @see RFC 3533
 */
export function createOggReader(start = 0) {
  let offset = start;
  let isOpened = false;
  let serial = 0;
  /** Packets not yet requested, and the beginning of an unfinished packet. */
  let ready: OggPacket[] = [];
  let [begun, begunBytes]: [Uint8Array[], number] = [[], 0];
  let isEnded = true;

  /** The file's first audio stream; in a chained file, later calls open the stream that follows. */
  function* openStream(): Reading<OggStream | undefined> {
    const others = new Set<string>();
    let stream: OggStream | undefined;
    for (;;) {
      const first: OggPage | undefined = yield* readOggPage(offset);
      if (first === undefined) break;
      // The first pages of all streams precede all other pages.
      if (!first.isFirst && (stream !== undefined || others.size > 0)) break;
      offset = first.end;
      if (!first.isFirst || stream !== undefined) continue;
      const head = Uint8Array.from(first.packets[0] ?? []);
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
    [ready, begun, begunBytes] = [[], [], 0];
    return stream;
  }

  /** The next packet after the stream's head. @returns `undefined` at the end of the stream */
  function* nextPacket(): Reading<OggPacket | undefined> {
    while (ready.length === 0 && !isEnded) {
      const page: OggPage | undefined = yield* readOggPage(offset);
      isEnded = page === undefined || page.isFirst;
      if (page === undefined || isEnded) break;
      offset = page.end;
      if (page.serial === serial) take(page);
    }
    return ready.shift();
  }

  function take({ packets, rest, isContinued, position, isLast }: OggPage): void {
    // The beginning of the first packet may be lost, and the end of the previous one too.
    const isHeadless = isContinued && begun.length === 0;
    if (!isContinued) [begun, begunBytes] = [[], 0];
    for (const [index, packet] of packets.entries()) {
      if (index === 0 && isHeadless) continue;
      extend(packet);
      const bytes = begun.length === 1 ? begun[0]! : concatenate(begun);
      const endsPage = index === packets.length - 1;
      ready.push({ bytes, position: endsPage ? position : undefined, isLast: endsPage && isLast });
      [begun, begunBytes] = [[], 0];
    }
    if (rest.length > 0 && !(isHeadless && packets.length === 0)) extend(rest);
  }

  function extend(part: Uint8Array): void {
    if (begunBytes < maxPacketBytes) begun.push(part);
    begunBytes += part.length;
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

/** Finds the entry whose marker begins the packet. */
function find<T>(marked: readonly (readonly [mark: string, T])[], packet: Uint8Array): T | undefined {
  const beginning = toLatin1(packet.subarray(0, 8));
  return marked.find(([mark]) => beginning.startsWith(mark))?.[1];
}

export interface OggPage {
  /** Expected offset of the next page, in bytes. */
  readonly end: number;
  readonly serial: number;
  /** Whether its first packet began on the previous page. */
  readonly isContinued: boolean;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** Samples up to the end of the last packet that ends on this page; `undefined` if no packet does. */
  readonly position: number | undefined;
  readonly packets: readonly Uint8Array[];
  /** The beginning of a packet that continues on the next page, or empty. */
  readonly rest: Uint8Array;
}

const headerBytes = 27;
const capture = [0x4f, 0x67, 0x67, 0x53] as const;

/**
 * The first page at or after `from` with a valid checksum, or that the end of the file cuts off.
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
  // A packet ends with the first segment shorter than 255 bytes.
  const count = header[26]!;
  const segments: Uint8Array = yield { offset: start + headerBytes, length: count };
  const bodyStart = start + headerBytes + count;
  const length = segments.reduce((sum, segment) => sum + segment, 0);
  const body: Uint8Array = yield { offset: bodyStart, length };
  const view = toDataView(header);
  // In a truncated file, the packets before the cut are valid.
  const isCut = body.length < length;
  const unsigned = Uint8Array.from(header);
  unsigned.fill(0, 22, 26);
  const isIntact = crc32(body, crc32(segments, crc32(unsigned))) === view.getUint32(22, true);
  if (segments.length < count || !(isCut || isIntact)) return undefined;
  const packets: Uint8Array[] = [];
  let [from, to] = [0, 0];
  for (const segment of segments) {
    to += segment;
    if (segment === 255 || to > body.length) continue;
    packets.push(body.subarray(from, to));
    from = to;
  }
  const flags = header[5]!;
  const position = Number(view.getBigInt64(6, true));
  return {
    end: bodyStart + length,
    serial: view.getUint32(14, true),
    isContinued: (flags & 1) !== 0,
    isFirst: (flags & 2) !== 0,
    isLast: !isCut && (flags & 4) !== 0,
    position: isCut || position < 0 ? undefined : position,
    packets,
    rest: body.subarray(from),
  };
}
