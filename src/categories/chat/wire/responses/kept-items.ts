import { Buffer } from 'node:buffer';
import type { KeptValues } from '../../../../contracts/caller.ts';
import type { RequestBudget } from '../../../../contracts/endpoint.ts';
import { countValues } from '../../../../core/text/count-values.ts';
import { notFound } from './kept-errors.ts';
import { pageOf, toItemPage } from './item-page.ts';
import type { ConversationItem } from './schema.ts';

/** The beginnings of items' ids, by the type. */
export const idPrefixes = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
} as const;

/** An amount of items. */
export interface Size {
  readonly count: number;
  /** As JSON in UTF-8. */
  readonly bytes: number;
  /** JSON objects: items and their parts, which take time each. */
  readonly objects: number;
}

/** Some items of a conversation or response, its owner, that are kept as one value. */
export interface Chunk extends Omit<Size, 'count'> {
  /** Its name within the owner. That of a later chunk is greater. */
  readonly number: number;
  readonly ids: readonly string[];
}

/** Chunks of one owner. */
export interface Source {
  readonly owner: string;
  readonly chunks: readonly Chunk[];
}

/** A chunk is read as a whole, so it is small, unless one item is large. */
const maxChunk = { count: 64, bytes: 2 ** 16 } as const;
/** Max objects of what a request reads, as of a body. */
const maxObjects = 2 ** 14;

export const noSize: Size = { count: 0, bytes: 0, objects: 0 };

export function sizeOf(chunks: readonly Chunk[], before = noSize): Size {
  let { count, bytes, objects } = before;
  for (const chunk of chunks) {
    count += chunk.ids.length;
    bytes += chunk.bytes;
    objects += chunk.objects;
  }
  return { count, bytes, objects };
}

/** Whether a request may read so much. */
export function isReadable({ bytes, objects }: Size, { maxBytes }: KeptValues): boolean {
  return bytes <= maxBytes && objects <= maxObjects;
}

/** A chunk that is not kept yet. */
export interface Draft {
  readonly chunk: Chunk;
  readonly json: string;
}

export type KeptItem = ConversationItem & { readonly id: string };

/** @param after number of the owner's last chunk */
export function draftChunks(items: readonly KeptItem[], after = 0): Draft[] {
  const drafts: Draft[] = [];
  // Two hosts that add to one owner at the same time must not take the same number.
  let number = Math.max(after, Date.now() * 1000);
  let first = 0;
  let bytes = 0;
  for (const [index, item] of items.entries()) {
    const size = Buffer.byteLength(JSON.stringify(item));
    if (index > first && (index - first === maxChunk.count || bytes + size > maxChunk.bytes)) {
      drafts.push(draftChunk(items.slice(first, index), ++number));
      [first, bytes] = [index, 0];
    }
    bytes += size;
  }
  if (items.length > first) drafts.push(draftChunk(items.slice(first), ++number));
  return drafts;
}

export function draftChunk(items: readonly KeptItem[], number: number): Draft {
  const json = JSON.stringify(items);
  const { objects } = countValues(items, () => false);
  const ids = items.map(({ id }) => id);
  return { chunk: { number, ids, bytes: Buffer.byteLength(json), objects }, json };
}

/** @returns whether all are kept: an item that is larger than a value may be is not */
export async function keepChunks(
  kept: KeptValues,
  owner: string,
  drafts: readonly Draft[],
): Promise<boolean> {
  for (const { chunk, json } of drafts) if (!(await kept.set(nameOf(owner, chunk), json))) return false;
  return true;
}

/** @returns the items of all chunks, in their order */
export async function readItems(
  kept: KeptValues,
  sources: readonly Source[],
  { budget, param }: { readonly budget: RequestBudget; readonly param: string },
): Promise<KeptItem[]> {
  const items: KeptItem[] = [];
  for (const { owner, chunks } of sources) {
    for (const chunk of chunks) {
      await budget.pause();
      for (const item of await readChunk(kept, owner, { chunk, param })) items.push(item);
    }
  }
  return items;
}

/** @throws InferenceError `response_not_found` if the store has lost it */
export async function readChunk(
  kept: KeptValues,
  owner: string,
  { chunk, param }: { readonly chunk: Chunk; readonly param: string },
): Promise<readonly KeptItem[]> {
  const items = await kept.get(nameOf(owner, chunk));
  if (items === undefined) throw notFound(param);
  return items as KeptItem[];
}

export function chunkWith(chunks: readonly Chunk[], itemId: string): Chunk | undefined {
  return chunks.findLast(({ ids }) => ids.includes(itemId));
}

/**
 * Reads the part of the items that a query asks for.
 *
 * @param given all sources, the oldest first
 */
export async function readPage(
  kept: KeptValues,
  given: readonly Source[],
  { query, budget, param }: { query: URLSearchParams; budget: RequestBudget; param: string },
): Promise<object> {
  const places = given.flatMap(({ owner, chunks }) =>
    chunks.flatMap((chunk) => chunk.ids.map((id) => ({ id, owner, chunk }))),
  );
  const { page, hasMore } = pageOf(places, query);
  const chunks = new Map(page.map(({ chunk, owner }) => [chunk, owner]));
  budget.hold(sizeOf([...chunks.keys()]).bytes);
  const items = new Map<string, KeptItem>();
  for (const [chunk, owner] of chunks) {
    await budget.pause();
    for (const item of await readChunk(kept, owner, { chunk, param })) items.set(item.id, item);
  }
  return toItemPage(
    page.flatMap(({ id }) => items.get(id) ?? []),
    hasMore,
  );
}

/** The ids of the values that hold the chunks. */
export function namesOf({ owner, chunks }: Source): string[] {
  return chunks.map((chunk) => nameOf(owner, chunk));
}

function nameOf(owner: string, { number }: Chunk): string {
  return `${owner}.${number}`;
}

/** Log probabilities are a part of the answer, and would make its items many times as large. */
export function withoutLogprobs<Item extends ConversationItem>(item: Item): Item {
  if (!('content' in item) || !Array.isArray(item.content)) return item;
  const content = item.content.map((part) => ('logprobs' in part ? { ...part, logprobs: [] } : part));
  return { ...item, content };
}
