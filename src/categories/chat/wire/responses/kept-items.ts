import { Buffer } from 'node:buffer';
import type { KeptValues } from '../../../../contracts/caller.ts';
import type { RequestBudget } from '../../../../contracts/endpoint.ts';
import { countValues } from '../../../../core/text/count-values.ts';
import { fieldError, InferenceError, unsupportedError } from '../../../../errors.ts';
import { pageOf } from './item-page.ts';
import type { ConversationItem } from './schema.ts';

export const idPrefixes = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
} as const;

export type KeptItem = ConversationItem & { readonly id: string };

export interface Size {
  readonly count: number;
  /** UTF-8 bytes of the JSON. */
  readonly bytes: number;
  /** Number of JSON objects, since each takes time. */
  readonly objects: number;
}

/** A head's entry for an item, which is stored separately. */
export interface Entry extends Omit<Size, 'count'> {
  readonly id: string;
  /** Increases with each item. */
  readonly number: number;
}

/** An item and the conversation or response that owns it. */
export type Place = Pick<Entry, 'id' | 'bytes'> & { readonly owner: string };

/** Max items per owner: requests read and write the head as a whole. */
export const maxItems = 4096;
/** The limit of a request body. */
const maxObjects = 2 ** 14;
/** Max concurrent reads of items. */
const batchCount = 64;

export const noSize: Size = { count: 0, bytes: 0, objects: 0 };

export function sizeOf(entries: readonly Entry[], before = noSize): Size {
  let { count, bytes, objects } = before;
  for (const entry of entries)
    [count, bytes, objects] = [count + 1, bytes + entry.bytes, objects + entry.objects];
  return { count, bytes, objects };
}

export function isReadable({ bytes, objects }: Size, { maxBytes }: KeptValues): boolean {
  return bytes <= maxBytes && objects <= maxObjects;
}

/** @throws InferenceError `unsupported_feature` naming the handler's option */
export function storeDisabled(param: string): InferenceError {
  const reason = "this service stores no responses (the handler's option `keepResponses` is off)";
  return unsupportedError(param, `${reason}, so send the whole conversation as \`input\``);
}

/** The same error for a missing response or item and for a different key's, which must stay secret. */
export function notFound(param: string): InferenceError {
  return fieldError(param, 'the id is unknown, or no longer stored', {
    code: 'response_not_found',
  });
}

export function tooLarge(param: string, reason: string): InferenceError {
  return fieldError(param, reason, { code: 'request_too_large' });
}

/** Clients choose ids, which must not collide with other values of the owner. */
export function keyOf({ owner, id }: Omit<Place, 'bytes'>): string {
  return `${owner}.item.${id}`;
}

export function placesOf(owner: string, entries: readonly Entry[]): Place[] {
  return entries.map(({ id, bytes }) => ({ owner, id, bytes }));
}

/** @param before size that a request reads with them @returns all entries; `undefined`, with no item stored, if that is too much for a request */
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

/** Reads items whose bytes are already in the budget. */
export async function readItems(
  kept: KeptValues,
  places: readonly Place[],
  budget: RequestBudget,
): Promise<KeptItem[]> {
  const read = async (place: Place): Promise<KeptItem> => {
    const item = await kept.get(keyOf(place));
    if (item !== undefined) return item as KeptItem;
    throw new InferenceError('response_not_found', 'A part of the conversation is no longer stored.');
  };
  const items: KeptItem[] = [];
  for (let at = 0; at < places.length; at += batchCount) {
    await budget.pause();
    items.push(...(await Promise.all(places.slice(at, at + batchCount).map(read))));
  }
  return items;
}

/** @param places oldest first */
export async function readPage(
  kept: KeptValues,
  places: readonly Place[],
  { query, budget }: { readonly query: URLSearchParams; readonly budget: RequestBudget },
): Promise<object> {
  const page = pageOf(places, query);
  budget.hold(page.data.reduce((sum, { bytes }) => sum + bytes, 0));
  return { ...page, data: await readItems(kept, page.data, budget) };
}
