import {
  createMp4Table,
  findMp4Box,
  type Mp4Box,
  type Mp4Table,
  readMp4Box,
  readMp4Boxes,
  readMp4Content,
} from './mp4-box.ts';
import { maxPacketBytes, type Mp4Track, type NextMp4Packet } from './mp4-samples.ts';
import { type Reading, toDataView } from './reading.ts';

interface Defaults {
  readonly duration: number;
  readonly size: number;
}

interface TrackRun {
  readonly table: Mp4Table;
  readonly hasDurations: boolean;
  readonly hasSizes: boolean;
  readonly defaults: Defaults;
  /** `undefined` if it continues after the previous run. */
  readonly offset: number | undefined;
}

/** Reads a track's samples from the fragments after the header. @see ISO/IEC 14496-12 §8.8 */
export function* createFragmentReader({ id, timescale }: Mp4Track, moov: Mp4Box): Reading<NextMp4Packet> {
  const movieDefaults = yield* readMovieDefaults(moov, id);
  let top = moov.end;
  let runs: TrackRun[] = [];
  let run: TrackRun | undefined;
  let sample = 0;
  let offset = 0;

  /** @returns whether there is a next fragment of the track; it may hold no samples */
  function* nextFragment(): Reading<boolean> {
    for (;;) {
      const box: Mp4Box | undefined = yield* readMp4Box(top);
      if (box === undefined) return false;
      top = box.end;
      if (box.type !== 'moof') continue;
      offset = box.offset;
      runs = yield* readRuns(box, id, movieDefaults);
      return true;
    }
  }

  return function* nextPacket() {
    for (;;) {
      while (run === undefined || sample >= run.table.count) {
        run = runs.shift();
        sample = 0;
        if (run === undefined) {
          if (!(yield* nextFragment())) return undefined;
        } else {
          offset = run.offset ?? offset;
        }
      }
      const entry: DataView | undefined = yield* run.table.entry(sample++);
      if (entry === undefined) {
        run = undefined;
        continue;
      }
      const duration = run.hasDurations ? entry.getUint32(0) : run.defaults.duration;
      const length = run.hasSizes ? entry.getUint32(run.hasDurations ? 4 : 0) : run.defaults.size;
      const at = offset;
      offset += length;
      if (length > maxPacketBytes) return undefined;
      const bytes: Uint8Array = yield { offset: at, length };
      if (bytes.length < length) run = undefined;
      else return { bytes, durationSeconds: duration / timescale };
    }
  };
}

function* readMovieDefaults(moov: Mp4Box, id: number): Reading<Defaults> {
  const mvex = yield* findMp4Box(moov, 'mvex');
  for (const box of mvex === undefined ? [] : yield* readMp4Boxes(mvex)) {
    const content = box.type === 'trex' ? yield* readMp4Content(box, 24) : new Uint8Array();
    if (content.length < 24 || toDataView(content).getUint32(4) !== id) continue;
    return { duration: toDataView(content).getUint32(12), size: toDataView(content).getUint32(16) };
  }
  return { duration: 0, size: 0 };
}

function* readRuns(moof: Mp4Box, id: number, movieDefaults: Defaults): Reading<TrackRun[]> {
  const runs: TrackRun[] = [];
  for (const traf of yield* readMp4Boxes(moof)) {
    const boxes = traf.type === 'traf' ? yield* readMp4Boxes(traf) : [];
    const tfhd = boxes.find(({ type }) => type === 'tfhd');
    const header = tfhd && (yield* readMp4Content(tfhd, 40));
    if (header === undefined || header.length < 8 || toDataView(header).getUint32(4) !== id) continue;
    const fields = createFieldReader(header, 8);
    const flags = toDataView(header).getUint32(0);
    const base = flags & 1 ? fields(8, moof.offset) : moof.offset;
    if (flags & 2) fields(4, 0);
    const duration = flags & 8 ? fields(4, 0) : movieDefaults.duration;
    const size = flags & 16 ? fields(4, 0) : movieDefaults.size;
    for (const trun of boxes) {
      if (trun.type !== 'trun') continue;
      const run = toRun(trun, yield* readMp4Content(trun, 16), base, { duration, size });
      if (run !== undefined) runs.push(run);
    }
  }
  return runs;
}

function toRun(trun: Mp4Box, header: Uint8Array, base: number, defaults: Defaults): TrackRun | undefined {
  if (header.length < 8) return undefined;
  const view = toDataView(header);
  const flags = view.getUint32(0);
  const hasOffset = (flags & 1) !== 0;
  const entryBytes = [0x100, 0x200, 0x400, 0x800].reduce((bytes, flag) => bytes + (flags & flag ? 4 : 0), 0);
  const start = trun.start + 8 + (hasOffset ? 4 : 0) + (flags & 4 ? 4 : 0);
  const fitting = entryBytes === 0 ? Infinity : Math.floor((trun.end - start) / entryBytes);
  return {
    table: createMp4Table(start, Math.min(view.getUint32(4), fitting), entryBytes),
    hasDurations: (flags & 0x100) !== 0,
    hasSizes: (flags & 0x200) !== 0,
    defaults,
    offset: hasOffset && header.length >= 12 ? base + view.getInt32(8) : undefined,
  };
}

/** Reads consecutive big-endian numbers; returns `otherwise` beyond the end. */
function createFieldReader(bytes: Uint8Array, start: number): (length: 4 | 8, otherwise: number) => number {
  const view = toDataView(bytes);
  let at = start;
  return (length, otherwise) => {
    at += length;
    if (at > bytes.length) return otherwise;
    return length === 4 ? view.getUint32(at - 4) : Number(view.getBigUint64(at - 8));
  };
}
