import { type Reading, toDataView, toLatin1 } from './reading.ts';

/** A box of an MP4 file; its content spans the file's bytes from `start` to `end`. */
export interface Mp4Box {
  readonly type: string;
  /** Start of its header. */
  readonly offset: number;
  readonly start: number;
  /** May lie beyond the end of a file that is cut off; `Infinity` for a box up to the end of the file. */
  readonly end: number;
}

const maxBoxes = 1000;

/** @see ISO/IEC 14496-12 §4.2 */
export function* readMp4Box(offset: number, end = Infinity): Reading<Mp4Box | undefined> {
  const header: Uint8Array = yield { offset, length: Math.min(16, end - offset) };
  if (header.length < 8) return undefined;
  const view = toDataView(header);
  const type = toLatin1(header.subarray(4, 8));
  const size = view.getUint32(0);
  if (size === 0) return { type, offset, start: offset + 8, end };
  if (size > 1) return size < 8 ? undefined : { type, offset, start: offset + 8, end: offset + size };
  if (header.length < 16) return undefined;
  const longSize = Number(view.getBigUint64(8));
  return longSize < 16 ? undefined : { type, offset, start: offset + 16, end: offset + longSize };
}

/** The boxes inside a box; stops at a damaged one. */
export function* readMp4Boxes({ start, end }: Pick<Mp4Box, 'start' | 'end'>): Reading<readonly Mp4Box[]> {
  const boxes: Mp4Box[] = [];
  for (let offset = start; offset < end && boxes.length < maxBoxes;) {
    const box: Mp4Box | undefined = yield* readMp4Box(offset, end);
    if (box === undefined) break;
    boxes.push(box);
    offset = box.end;
  }
  return boxes;
}

/** The first box on a path of nested boxes: `mdia`, `minf`, … */
export function* findMp4Box(
  box: Pick<Mp4Box, 'start' | 'end'>,
  ...path: readonly string[]
): Reading<Mp4Box | undefined> {
  let found: Pick<Mp4Box, 'start' | 'end'> | undefined = box;
  for (const type of path) {
    const boxes: readonly Mp4Box[] = yield* readMp4Boxes(found);
    found = boxes.find((inner) => inner.type === type);
    if (found === undefined) return undefined;
  }
  return found as Mp4Box;
}

/** The content of a box, at most `maxBytes` of it. */
export function* readMp4Content({ start, end }: Mp4Box, maxBytes: number): Reading<Uint8Array> {
  return yield { offset: start, length: Math.min(end - start, maxBytes) };
}

export type Mp4Table = ReturnType<typeof createMp4Table>;

const tableBytes = 2 ** 13;

/** A table of entries of equal length, only a few of which are in memory at a time. */
export function createMp4Table(offset: number, count: number, entryBytes: number) {
  const entriesAtOnce = Math.max(1, Math.floor(tableBytes / Math.max(1, entryBytes)));
  let first = 0;
  let loaded: Uint8Array = new Uint8Array();
  return {
    count,
    /** @returns `undefined` beyond the end of the table or of the file */
    *entry(index: number): Reading<DataView | undefined> {
      if (index >= count) return undefined;
      let at = (index - first) * entryBytes;
      if (at < 0 || at + entryBytes > loaded.length) {
        first = index;
        at = 0;
        const length = Math.min(entriesAtOnce, count - index) * entryBytes;
        loaded = Uint8Array.from(yield { offset: offset + index * entryBytes, length });
        if (loaded.length < entryBytes) return undefined;
      }
      return new DataView(loaded.buffer, at, entryBytes);
    },
  };
}
