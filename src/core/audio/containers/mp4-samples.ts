import { createMp4Table, findMp4Box, type Mp4Box, type Mp4Table, readMp4Content } from './mp4-box.ts';
import { bytesPerSample } from './pcm-samples.ts';
import { type Reading, toDataView } from './reading.ts';
import type { Mp4SampleEntry } from './mp4-codec.ts';

/** The audio of an MP4 file as its header describes it. */
export interface Mp4Start extends Mp4SampleEntry {
  /** From the header; `undefined` if it has no duration. */
  readonly durationSeconds: number | undefined;
  /** The audible part of the decoded samples. */
  readonly startSeconds: number;
  readonly endSeconds: number;
}

export interface Mp4Packet {
  readonly bytes: Uint8Array;
  readonly durationSeconds: number;
}

/** Reads packets in decoding order. @returns `undefined` at the end of the audio */
export type NextMp4Packet = () => Reading<Mp4Packet | undefined>;

export interface Mp4Track {
  readonly id: number;
  readonly entry: Mp4SampleEntry;
  /** Time units per second. */
  readonly timescale: number;
  readonly timing: Pick<Mp4Start, 'durationSeconds' | 'startSeconds' | 'endSeconds'>;
  readonly stbl: Mp4Box;
}

/** In bytes; a larger packet can't be audio. */
export const maxPacketBytes = 2 ** 22;
const maxPcmBytes = 2 ** 16;

export function* createSampleReader(track: Mp4Track): Reading<NextMp4Packet | undefined> {
  const { stbl, entry, timescale } = track;
  const chunks = yield* openChunks(stbl);
  const sizes = yield* openSizes(stbl);
  const runs = yield* openTable(stbl, 'stsc', 12);
  const times = yield* openTable(stbl, 'stts', 8);
  if (chunks === undefined || sizes === undefined || runs === undefined || sizes.count === 0)
    return undefined;
  const { codec, channels } = entry;
  const frameBytes = codec.kind === 'pcm' ? channels * bytesPerSample[codec.format.encoding] : undefined;

  let chunk = -1;
  let run = 0;
  /** Samples left in the current chunk, and their offset. */
  let samplesLeft = 0;
  let offset = 0;
  let sample = 0;
  let time = -1;
  let samplesOfTime = 0;
  let delta = 0;

  function* nextChunk(): Reading<boolean> {
    const at: DataView | undefined = yield* chunks!.entry(++chunk);
    const following: DataView | undefined = yield* runs!.entry(run + 1);
    if (following !== undefined && chunk + 1 >= following.getUint32(0)) run++;
    const current: DataView | undefined = yield* runs!.entry(run);
    if (at === undefined || current === undefined) return false;
    offset = at.byteLength === 8 ? Number(at.getBigUint64(0)) : at.getUint32(0);
    samplesLeft = current.getUint32(4);
    return true;
  }

  function* nextDelta(): Reading<number> {
    while (samplesOfTime === 0) {
      const entryOfTime: DataView | undefined = times && (yield* times.entry(++time));
      if (entryOfTime === undefined) return 0;
      samplesOfTime = entryOfTime.getUint32(0);
      delta = entryOfTime.getUint32(4);
    }
    samplesOfTime--;
    return delta;
  }

  function* nextPcm(bytesOfFrame: number): Reading<Mp4Packet | undefined> {
    const count = Math.min(samplesLeft, Math.max(1, Math.floor(maxPcmBytes / bytesOfFrame)));
    const bytes: Uint8Array = yield { offset, length: count * bytesOfFrame };
    if (bytes.length === 0) return undefined;
    offset += bytes.length;
    samplesLeft -= count;
    return { bytes, durationSeconds: 0 };
  }

  return function* nextPacket() {
    for (;;) {
      while (samplesLeft === 0) if (!(yield* nextChunk())) return undefined;
      if (frameBytes !== undefined) return yield* nextPcm(frameBytes);
      const length: number | undefined = yield* sizeOf(sizes, sample++);
      if (length === undefined) return undefined;
      const at = offset;
      offset += length;
      samplesLeft--;
      const durationSeconds = (yield* nextDelta()) / timescale;
      if (length > maxPacketBytes) return undefined;
      const bytes: Uint8Array = yield { offset: at, length };
      // If the file is cut off here, the next chunk may still exist: chunks can be in any order.
      if (bytes.length < length) samplesLeft = 0;
      else return { bytes, durationSeconds };
    }
  };
}

/** A table that begins with its version, flags and entry count. */
function* openTable(stbl: Mp4Box, type: string, entryBytes: number): Reading<Mp4Table | undefined> {
  const box = yield* findMp4Box(stbl, type);
  const header = box && (yield* readMp4Content(box, 8));
  if (box === undefined || header === undefined || header.length < 8) return undefined;
  const fitting = Math.floor((box.end - box.start - 8) / entryBytes);
  return createMp4Table(box.start + 8, Math.min(toDataView(header).getUint32(4), fitting), entryBytes);
}

function* openChunks(stbl: Mp4Box): Reading<Mp4Table | undefined> {
  return (yield* openTable(stbl, 'stco', 4)) ?? (yield* openTable(stbl, 'co64', 8));
}

interface SampleSizes {
  readonly count: number;
  /** Size of every sample in bytes; 0 if sizes differ. */
  readonly constant: number;
  readonly bits: number;
  readonly table: Mp4Table;
}

function* openSizes(stbl: Mp4Box): Reading<SampleSizes | undefined> {
  const stsz = yield* findMp4Box(stbl, 'stsz');
  const box = stsz ?? (yield* findMp4Box(stbl, 'stz2'));
  const header = box && (yield* readMp4Content(box, 12));
  if (box === undefined || header === undefined || header.length < 12) return undefined;
  const view = toDataView(header);
  const count = view.getUint32(8);
  const constant = stsz === undefined ? 0 : view.getUint32(4);
  const bits = stsz === undefined ? header[7]! : 32;
  if (![4, 8, 16, 32].includes(bits)) return undefined;
  const entries = bits === 4 ? Math.ceil(count / 2) : count;
  return { count, constant, bits, table: createMp4Table(box.start + 12, entries, Math.ceil(bits / 8)) };
}

/** In bytes. @returns `undefined` beyond the last sample */
function* sizeOf({ count, constant, bits, table }: SampleSizes, index: number): Reading<number | undefined> {
  if (index >= count) return undefined;
  if (constant !== 0) return constant;
  const at: DataView | undefined = yield* table.entry(bits === 4 ? index >> 1 : index);
  if (at === undefined) return undefined;
  if (bits === 4) return index % 2 === 0 ? at.getUint8(0) >> 4 : at.getUint8(0) & 15;
  return bits === 8 ? at.getUint8(0) : bits === 16 ? at.getUint16(0) : at.getUint32(0);
}
