import type { VisionFamily } from '../../../../core/vision/families/family.ts';
import { fieldError } from '../../../../errors.ts';

/** Replaces image placeholders with an image's prompt text. */
export function expandPlaceholders(
  prompt: string,
  texts: readonly string[],
  { placeholder }: Pick<VisionFamily, 'placeholder'>,
): string {
  const pieces = prompt.split(placeholder);
  if (pieces.length - 1 !== texts.length) {
    const reason = `the model's chat template shows ${pieces.length - 1} of ${texts.length} pictures`;
    throw fieldError('messages', reason);
  }
  return pieces.map((piece, index) => `${piece}${texts[index] ?? ''}`).join('');
}

/** Replaces placeholder tokens with row ids. */
export function placePictures(
  prompt: Int32Array,
  pictures: readonly EncodedPicture[],
  pictureToken: number,
): Int32Array {
  const ids = pictures.flatMap(({ firstId, rows }) =>
    Array.from({ length: rows }, (_, row) => firstId - row),
  );
  const found = prompt.reduce((sum, token) => sum + (token === pictureToken ? 1 : 0), 0);
  if (found !== ids.length)
    throw fieldError('messages', `the prompt has room for ${found} of ${ids.length} rows of its pictures`);
  let next = 0;
  return prompt.map((token) => (token === pictureToken ? ids[next++]! : token));
}

export interface EncodedPicture {
  /** Id of the first row; ids count down from it and are unique per image. */
  readonly firstId: number;
  /** `[rows × hiddenSize]` */
  readonly embeddings: Float32Array;
  readonly rows: number;
  /** Grid of the embeddings, if the model's positions depend on it. */
  readonly grid?: PictureGrid | undefined;
}

export interface PictureGrid {
  readonly rows: number;
  readonly columns: number;
}

interface Entry extends EncodedPicture {
  readonly key: string;
  uses: number;
}

/** Max size of kept images that aren't in use. */
const maxIdleBytes = 64 * 2 ** 20;
/** Ids are 32-bit integers. */
const maxIds = 2 ** 31 - 1;

/** Images by content. Rows have negative ids among token ids: sequences with a common prefix then have the same images too. */
export function createPictureTable(hiddenSize: number) {
  /** In id order. */
  const entries: Entry[] = [];
  /** Least recently used first. */
  const byKey = new Map<string, Entry>();
  let ids = 0;
  /** Borrows an image until `release`. */
  const borrow = (key: string): EncodedPicture | undefined => {
    const entry = byKey.get(key);
    if (!entry) return undefined;
    byKey.delete(key);
    byKey.set(key, entry);
    entry.uses++;
    return entry;
  };
  return {
    borrow,
    /** Adds an image, unless present, and borrows it until `release`. */
    add(key: string, embeddings: Float32Array, grid?: PictureGrid): EncodedPicture {
      const known = borrow(key);
      if (known) return known;
      const rows = embeddings.length / hiddenSize;
      if (ids + rows > maxIds) throw new RangeError(`pictures: expected at most ${maxIds} rows`);
      const entry: Entry = { key, firstId: -1 - ids, embeddings, rows, grid, uses: 1 };
      ids += rows;
      entries.push(entry);
      byKey.set(key, entry);
      return entry;
    },
    release(picture: EncodedPicture): void {
      (picture as Entry).uses--;
      let idle = 0;
      for (const entry of byKey.values()) if (entry.uses === 0) idle += entry.embeddings.byteLength;
      for (const entry of byKey.values()) {
        if (idle <= maxIdleBytes) break;
        if (entry.uses > 0) continue;
        idle -= entry.embeddings.byteLength;
        byKey.delete(entry.key);
        entries.splice(entries.indexOf(entry), 1);
      }
    },
    find(id: number): { readonly picture: EncodedPicture; readonly row: number } {
      let low = 0;
      let high = entries.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (entries[middle]!.firstId >= id) low = middle + 1;
        else high = middle;
      }
      const picture = entries[low - 1];
      const row = picture ? picture.firstId - id : -1;
      if (!picture || row >= picture.rows) throw new RangeError(`id: expected that of a picture, got ${id}`);
      return { picture, row };
    },
  };
}

export type PictureTable = ReturnType<typeof createPictureTable>;
