import { crc8, crc16 } from './ogg-stream.ts';
import { ContainerError, fromLatin1, type Reading, toDataView, toLatin1 } from './reading.ts';

/** The STREAMINFO of a FLAC stream. */
export interface FlacInfo {
  readonly sampleRateHz: number;
  readonly channels: number;
  /** Per channel; `undefined` if the encoder didn't know. */
  readonly samples: number | undefined;
  /** The stream's mark and its STREAMINFO as the only metadata block: 42 bytes, for a decoder. */
  readonly header: Uint8Array;
}

/** A FLAC frame, which can be decoded independently. */
export interface FlacFrame {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

const marker = 'fLaC';
const streamInfoBytes = 34;
const headerBytes = 4 + 4 + streamInfoBytes;
const maxMetadataBlocks = 1000;

/**
 * @param bytes the marker and the STREAMINFO block, at least 42 bytes
 * @see RFC 9639 §8
 */
export function toFlacInfo(bytes: Uint8Array): FlacInfo {
  const isInfo = toLatin1(bytes.subarray(0, 4)) === marker && (bytes[4]! & 0x7f) === 0;
  if (!isInfo || bytes.length < headerBytes)
    throw new ContainerError('FLAC audio without a STREAMINFO block');
  const view = toDataView(bytes);
  const samples = (bytes[21]! & 15) * 2 ** 32 + view.getUint32(22);
  const header = Uint8Array.from(bytes.subarray(0, headerBytes));
  header.set([0x80, 0, 0, streamInfoBytes], 4);
  return {
    sampleRateHz: view.getUint32(18) >>> 12,
    channels: ((bytes[20]! >> 1) & 7) + 1,
    samples: samples === 0 ? undefined : samples,
    header,
  };
}

export interface FlacHead {
  readonly sampleRateHz: number;
  /** Samples of every block except the last. */
  readonly blockLength: number;
  /** Samples of the whole recording; `undefined` while unknown. */
  readonly samples?: number | undefined;
}

// Source: RFC 9639 §8.2
/** Writes the head of a FLAC file of 16-bit mono audio, without a checksum of its samples. */
export function writeFlacHead({ sampleRateHz, blockLength, samples = 0 }: FlacHead): Uint8Array {
  const bytes = new Uint8Array(headerBytes);
  bytes.set(fromLatin1(marker));
  bytes.set([0x80, 0, 0, streamInfoBytes], 4);
  const view = toDataView(bytes);
  view.setUint16(8, blockLength);
  view.setUint16(10, blockLength);
  // 20 bits of the rate, 3 of the channels and 5 of the bits per sample, the latter two minus one; 36 bits of the length.
  view.setUint32(18, ((sampleRateHz << 12) | (15 << 4) | Math.floor(samples / 2 ** 32)) >>> 0);
  view.setUint32(22, samples >>> 0);
  return bytes;
}

export function* readFlacStart(
  offset: number,
): Reading<{ readonly info: FlacInfo; readonly offset: number }> {
  const info = toFlacInfo(yield { offset, length: headerBytes });
  let at = offset + 4;
  for (let block = 0; block < maxMetadataBlocks; block++) {
    const header: Uint8Array = yield { offset: at, length: 4 };
    if (header.length < 4) break;
    at += 4 + (toDataView(header).getUint32(0) & 0xff_ffff);
    if ((header[0]! & 0x80) !== 0) return { info, offset: at };
  }
  throw new ContainerError('FLAC audio that ends within its metadata');
}

const firstScanBytes = 2 ** 15;
/** Slightly more than 65,535 samples of eight 32-bit channels. */
const maxFrameBytes = 2 ** 21 + 2 ** 15;
/** After this many false headers the frame is treated as damaged, not as data that contains header bytes. */
const maxMisleadingHeaders = 4;

/**
 * The next frame. A FLAC frame has no length field, so it extends to the next header at which its checksum is right; a
 * damaged frame extends to the next header.
 * @param end where the last frame ends, in bytes
 */
export function* readFlacFrame(offset: number, end: number): Reading<FlacFrame | undefined> {
  let start = offset;
  for (;;) {
    const bytes: Uint8Array = yield { offset: start, length: Math.min(firstScanBytes, end - start) };
    const first = findHeader(bytes, 0);
    if (first === 0) break;
    start += first ?? Math.max(1, bytes.length - maxHeaderBytes + 1);
    if (first === undefined && bytes.length < firstScanBytes) return undefined;
  }
  let next: number | undefined;
  let misleading = 0;
  let checked = 0;
  let crc = 0;
  for (let length = firstScanBytes; ; length = Math.min(2 * length, maxFrameBytes)) {
    const bytes: Uint8Array = yield { offset: start, length: Math.min(length, end - start) };
    for (;;) {
      const header = findHeader(bytes, checked + 1);
      if (header === undefined) break;
      crc = crc16(bytes.subarray(checked, header), crc);
      checked = header;
      if (crc === 0) return { offset: start, bytes: bytes.subarray(0, header) };
      next ??= header;
      if (++misleading === maxMisleadingHeaders) return { offset: start, bytes: bytes.subarray(0, next) };
    }
    if (start + bytes.length >= end || bytes.length < length || length === maxFrameBytes)
      return { offset: start, bytes: bytes.subarray(0, next ?? bytes.length) };
    const scanned = Math.max(checked, bytes.length - maxHeaderBytes);
    crc = crc16(bytes.subarray(checked, scanned), crc);
    checked = scanned;
  }
}

const maxHeaderBytes = 16;

/** The first complete frame header at or after `from`. */
function findHeader(bytes: Uint8Array, from: number): number | undefined {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    if (isHeader(bytes, at)) return at;
  }
  return undefined;
}

/** @see RFC 9639 §9.1 */
function isHeader(bytes: Uint8Array, at: number): boolean {
  const [, sync, sizes, format, number] = bytes.subarray(at, at + 5);
  if (number === undefined || (sync! & 0xfe) !== 0xf8) return false;
  const blockSizeCode = sizes! >> 4;
  const rateCode = sizes! & 15;
  if (blockSizeCode === 0 || rateCode === 15 || format! >> 4 > 10 || (format! & 1) !== 0) return false;
  const numberBytes = number < 0x80 ? 1 : Math.clz32(~(number << 24));
  if (numberBytes > 7 || (number >= 0x80 && numberBytes < 2)) return false;
  const blockSizeBytes = blockSizeCode === 6 ? 1 : blockSizeCode === 7 ? 2 : 0;
  const rateBytes = rateCode === 12 ? 1 : rateCode === 13 || rateCode === 14 ? 2 : 0;
  const header = bytes.subarray(at, at + 4 + numberBytes + blockSizeBytes + rateBytes + 1);
  return header.length === 4 + numberBytes + blockSizeBytes + rateBytes + 1 && crc8(header) === 0;
}
