import type { Reading } from './reading.ts';

/** The header of a frame that contains the frame's length, as in MPEG audio. */
export interface FrameHeader {
  /** Bytes of the whole frame. */
  readonly length: number;
  /** Per channel. */
  readonly samples: number;
  readonly sampleRateHz: number;
  readonly channels: number;
  /** Equal for all frames of one stream. */
  readonly stream: string;
}

/** Reads the header at the beginning of `bytes`; `undefined` if the bytes are no header. */
export type ParseHeader<H extends FrameHeader> = (bytes: Uint8Array) => H | undefined;

export interface LocatedFrame<H extends FrameHeader> {
  readonly offset: number;
  readonly header: H;
}

export interface FrameSearch<H extends FrameHeader> {
  readonly parse: ParseHeader<H>;
  /** Only frames of this stream. */
  readonly stream?: string | undefined;
  /** End of the search, in bytes; default: the end of the file. */
  readonly before?: number | undefined;
}

const scanBytes = 2 ** 15;
/** Three frames of maximum length, so that no search has to look back. */
const lookAheadBytes = 3 * 2 ** 13;
const syncByte = 0xff;

/**
 * The first frame at or after `from`. Any two bytes can look like a header, so two more frames have to follow, unless
 * the file ends there.
 */
export function* findFrame<H extends FrameHeader>(
  from: number,
  { parse, stream, before = Infinity }: FrameSearch<H>,
): Reading<LocatedFrame<H> | undefined> {
  for (let start = from; start < before; start += scanBytes) {
    const bytes: Uint8Array = yield { offset: start, length: scanBytes + lookAheadBytes };
    const end = Math.min(scanBytes, bytes.length, before - start);
    for (let at = bytes.indexOf(syncByte); at !== -1 && at < end; at = bytes.indexOf(syncByte, at + 1)) {
      const header = parse(bytes.subarray(at));
      if (header === undefined || (stream !== undefined && header.stream !== stream)) continue;
      if (isFollowed(bytes, at, header, parse)) return { offset: start + at, header };
    }
    if (bytes.length <= scanBytes) return undefined;
  }
  return undefined;
}

/** `bytes` must be complete up to the end of the search or of the file. */
function isFollowed<H extends FrameHeader>(
  bytes: Uint8Array,
  at: number,
  { length, stream }: H,
  parse: ParseHeader<H>,
): boolean {
  let next = at + length;
  for (let followers = 0; followers < 2; followers++) {
    if (next >= bytes.length) return next === bytes.length || followers > 0 || at === 0;
    const header = parse(bytes.subarray(next));
    if (header?.stream !== stream) return false;
    next += header.length;
  }
  return true;
}

/** In bytes, over all frame formats. */
const maxFrameBytes = 2 ** 13;

/** The frame at `offset`, or the stream's next frame. */
export function* readFrame<H extends FrameHeader>(
  offset: number,
  { parse, stream }: FrameSearch<H>,
): Reading<(LocatedFrame<H> & { readonly bytes: Uint8Array }) | undefined> {
  for (let at = offset; ;) {
    const bytes: Uint8Array = yield { offset: at, length: maxFrameBytes };
    const header = parse(bytes);
    if (header !== undefined && (stream ?? header.stream) === header.stream && header.length <= bytes.length)
      return { offset: at, header, bytes: bytes.subarray(0, header.length) };
    const found: LocatedFrame<H> | undefined = yield* findFrame(at + 1, { parse, stream });
    if (found === undefined) return undefined;
    at = found.offset;
  }
}
