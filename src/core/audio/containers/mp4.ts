import { createFragmentReader } from './mp4-fragments.ts';
import { findMp4Box, type Mp4Box, readMp4Box, readMp4Boxes, readMp4Content } from './mp4-box.ts';
import { toMp4SampleEntry } from './mp4-codec.ts';
import { createSampleReader, type Mp4Start, type Mp4Track, type NextMp4Packet } from './mp4-samples.ts';
import { ContainerError, type Reading, toDataView, toLatin1 } from './reading.ts';

export type Mp4Reader = ReturnType<typeof createMp4Reader>;

const maxTopBoxes = 100_000;
const maxDescriptionBytes = 2 ** 16;

/**
 * Reads the first audio track, from one sample table or from fragments. Tables are read on demand, so the counts that a
 * file claims cost neither memory nor time.
 * @see ISO/IEC 14496-12
 */
export function createMp4Reader() {
  let next: NextMp4Packet | undefined;
  return {
    /** @throws ContainerError if the file has no audio track */
    *open(): Reading<Mp4Start> {
      const moov = yield* findMovie();
      const track = yield* findAudioTrack(moov);
      const samples = yield* createSampleReader(track);
      next = samples ?? (yield* createFragmentReader(track, moov));
      const { entry, timing } = track;
      return { ...entry, ...timing };
    },
    /** The next packet; for PCM, all samples that are contiguous. */
    *nextPacket(): ReturnType<NextMp4Packet> {
      return next && (yield* next());
    },
  };
}

function* findMovie(): Reading<Mp4Box> {
  for (let offset = 0, count = 0; count < maxTopBoxes; count++) {
    const box: Mp4Box | undefined = yield* readMp4Box(offset);
    if (box === undefined) break;
    if (box.type === 'moov') return box;
    offset = box.end;
  }
  throw new ContainerError('an MP4 without its header, which may have been cut off');
}

function* findAudioTrack(moov: Mp4Box): Reading<Mp4Track> {
  const movieTimescale = yield* readBehindDates(yield* findMp4Box(moov, 'mvhd'));
  let other: ContainerError | undefined;
  for (const trak of yield* readMp4Boxes(moov)) {
    if (trak.type !== 'trak') continue;
    const handler = yield* findMp4Box(trak, 'mdia', 'hdlr');
    if (handler === undefined || toLatin1((yield* readMp4Content(handler, 12)).subarray(8)) !== 'soun')
      continue;
    const stbl = yield* findMp4Box(trak, 'mdia', 'minf', 'stbl');
    const stsd = stbl && (yield* findMp4Box(stbl, 'stsd'));
    const header = yield* findMp4Box(trak, 'mdia', 'mdhd');
    const timescale = yield* readBehindDates(header);
    if (stbl === undefined || stsd === undefined || header === undefined || timescale === 0) {
      other ??= new ContainerError('an MP4 with a damaged header');
      continue;
    }
    const entry = toMp4SampleEntry(yield* readMp4Content(stsd, maxDescriptionBytes));
    if (entry.codec.kind === 'other' && entry.codec.name === 'encrypted') {
      other ??= new ContainerError('an MP4 with encrypted audio');
      continue;
    }
    const duration = yield* readDuration(header);
    const edit = yield* readEdit(yield* findMp4Box(trak, 'edts', 'elst'));
    const startSeconds = (edit?.mediaTime ?? 0) / timescale;
    const length = edit === undefined || movieTimescale === 0 ? 0 : edit.duration / movieTimescale;
    const endSeconds = length > 0 ? startSeconds + length : Infinity;
    const durationSeconds =
      duration > 0 ? Math.min(duration / timescale, endSeconds) - startSeconds : undefined;
    const id = yield* readBehindDates(yield* findMp4Box(trak, 'tkhd'));
    return { id, entry, timescale, timing: { durationSeconds, startSeconds, endSeconds }, stbl };
  }
  throw other ?? new ContainerError('an MP4 without an audio track');
}

/** The number after the two dates of a box: the time scale of `mvhd` and `mdhd`, the id of `tkhd`; 0 without a box. */
function* readBehindDates(box: Mp4Box | undefined): Reading<number> {
  const content = box === undefined ? new Uint8Array() : yield* readMp4Content(box, 24);
  return content.length < 24 ? 0 : toDataView(content).getUint32(content[0] === 1 ? 20 : 12);
}

function* readDuration(mdhd: Mp4Box): Reading<number> {
  const content = yield* readMp4Content(mdhd, 32);
  const view = toDataView(content);
  if (content[0] === 1) return content.length < 32 ? 0 : Number(view.getBigUint64(24));
  const duration = view.getUint32(16);
  return duration === 0xffff_ffff ? 0 : duration;
}

interface Edit {
  /** In the movie's time units; 0 means the rest of the track. */
  readonly duration: number;
  /** In the track's time units. */
  readonly mediaTime: number;
}

const maxEdits = 16;

/** The only edit that plays part of the track; `undefined` if there are zero or several. */
function* readEdit(elst: Mp4Box | undefined): Reading<Edit | undefined> {
  if (elst === undefined) return undefined;
  const content = yield* readMp4Content(elst, 8 + 20 * maxEdits);
  const view = toDataView(content);
  const isLong = content[0] === 1;
  const entryBytes = isLong ? 20 : 12;
  const edits: Edit[] = [];
  for (let at = 8; at + entryBytes <= content.length; at += entryBytes) {
    const duration = isLong ? Number(view.getBigUint64(at)) : view.getUint32(at);
    const mediaTime = isLong ? Number(view.getBigInt64(at + 8)) : view.getInt32(at + 4);
    // An edit at −1 is a pause.
    if (mediaTime >= 0) edits.push({ duration, mediaTime });
  }
  return edits.length === 1 ? edits[0] : undefined;
}
