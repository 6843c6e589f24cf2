import { Buffer } from 'node:buffer';
import type { KeptValues } from '../../../../contracts/caller.ts';
import type { RequestBudget } from '../../../../contracts/endpoint.ts';
import { countValues } from '../../../../core/text/count-values.ts';
import { fieldError, InferenceError, unsupportedError } from '../../../../errors.ts';
import { pageOf } from './item-page.ts';
import type { ConversationItem } from './schema.ts';

/** The beginnings of items' ids, by the type. */
export const idPrefixes = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
} as const;

export type KeptItem = ConversationItem & { readonly id: string };

export interface Size {
  readonly count: number;
  /** As JSON in UTF-8. */
  readonly bytes: number;
  /** JSON objects: items and their parts, each of which takes time. */
  readonly objects: number;
}

/** What the head of a conversation or response tells of an item, which is a value of its own. */
export interface Entry extends Omit<Size, 'count'> {
  readonly id: string;
  /** Greater than that of an earlier item. */
  readonly number: number;
}

/** An item of a conversation or response, its owner. */
export type Place = Pick<Entry, 'id' | 'bytes'> & { readonly owner: string };

/** Max number of items of one owner: a request reads and writes its head as a whole. */
export const maxItems = 4096;
/** What one request reads may have as many objects as a body. */
const maxObjects = 2 ** 14;
/** Number of items that are asked for at the same time. */
const batchCount = 64;

export const noSize: Size = { count: 0, bytes: 0, objects: 0 };

export function sizeOf(entries: readonly Entry[], before = noSize): Size {
  let { count, bytes, objects } = before;
  for (const entry of entries)
    [count, bytes, objects] = [count + 1, bytes + entry.bytes, objects + entry.objects];
  return { count, bytes, objects };
}

/** Whether one request may read so much. */
export function isReadable({ bytes, objects }: Size, { maxBytes }: KeptValues): boolean {
  return bytes <= maxBytes && objects <= maxObjects;
}

/** @throws InferenceError `unsupported_feature` naming the handler's option */
export function nothingKept(param: string): InferenceError {
  const reason = "this service keeps no responses (the handler's option `keepResponses` is off)";
  return unsupportedError(param, `${reason}, so send the whole conversation as \`input\``);
}

/** The error of a response or an item that isn't kept, or is another key's. */
export function notFound(param: string): InferenceError {
  return fieldError(param, 'there is none of this id, or it is no longer kept', {
    code: 'response_not_found',
  });
}

export function tooLarge(param: string, reason: string): InferenceError {
  return fieldError(param, reason, { code: 'request_too_large' });
}

/** Clients choose ids, which must not name other values of the owner. */
export function keyOf({ owner, id }: Omit<Place, 'bytes'>): string {
  return `${owner}.item.${id}`;
}

export function placesOf(owner: string, entries: readonly Entry[]): Place[] {
  return entries.map(({ id, bytes }) => ({ owner, id, bytes }));
}

/**
 * Keeps items of an owner behind those that it has.
 *
 * @param before what is read beside them
 * @returns the entries of all; `undefined` if a request can't read so much, and then none is kept
 */
export async function keepItems(
  kept: KeptValues,
  owner: string,
  items: readonly KeptItem[],
  { entries, before }: { readonly entries: readonly Entry[]; readonly before?: Size },
): Promise<readonly Entry[] | undefined> {
  let number = entries.at(-1)?.number ?? 0;
  const drafts = items.map((item) => {
    const json = JSON.stringify(item);
    const { objects } = countValues(item, () => false);
    return { json, entry: { id: item.id, number: ++number, bytes: Buffer.byteLength(json), objects } };
  });
  const all = [...entries, ...drafts.map(({ entry }) => entry)];
  if (!isReadable(sizeOf(all, before), kept)) return undefined;
  for (const { json, entry } of drafts) await kept.set(keyOf({ owner, id: entry.id }), json);
  return all;
}

export async function removeItems(kept: KeptValues, places: readonly Place[]): Promise<void> {
  for (const place of places) await kept.delete(keyOf(place));
}

/** Items whose bytes the budget holds already. */
export async function readItems(
  kept: KeptValues,
  places: readonly Place[],
  budget: RequestBudget,
): Promise<KeptItem[]> {
  const read = async (place: Place): Promise<KeptItem> => {
    const item = await kept.get(keyOf(place));
    if (item !== undefined) return item as KeptItem;
    throw new InferenceError('response_not_found', 'A part of the conversation is no longer kept.');
  };
  const items: KeptItem[] = [];
  for (let at = 0; at < places.length; at += batchCount) {
    await budget.pause();
    items.push(...(await Promise.all(places.slice(at, at + batchCount).map(read))));
  }
  return items;
}

/** The page of items that a query asks for. @param places the oldest first */
export async function readPage(
  kept: KeptValues,
  places: readonly Place[],
  { query, budget }: { readonly query: URLSearchParams; readonly budget: RequestBudget },
): Promise<object> {
  const page = pageOf(places, query);
  budget.hold(page.data.reduce((sum, { bytes }) => sum + bytes, 0));
  return { ...page, data: await readItems(kept, page.data, budget) };
}
