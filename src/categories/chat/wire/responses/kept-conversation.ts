import type { CallerState, KeptValues } from '../../../../contracts/caller.ts';
import { fieldError } from '../../../../errors.ts';
import { createId, unixTime } from '../../../../http/headers.ts';
import {
  idPrefixes,
  keepItems,
  keyOf,
  maxItems,
  storeDisabled,
  notFound,
  placesOf,
  removeItems,
  tooLarge,
  type Entry,
  type KeptItem,
} from './kept-items.ts';
import type { ConversationItem } from './schema.ts';

export interface KeptConversation {
  readonly id: string;
  readonly created_at: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly entries: readonly Entry[];
  /** Unix time in seconds of the last renewal of all items. */
  readonly renewedAt: number;
}

/** The id of a conversation and the field that named it. */
export type ConversationName = readonly [id: string, param: string];

/** @throws InferenceError `unsupported_feature` or `response_not_found` */
export function storeFor({ kept }: Pick<CallerState, 'kept'>, [id, param]: ConversationName): KeptValues {
  if (kept === undefined) throw storeDisabled(param);
  if (!/^conv_[0-9a-f]{32}$/.test(id)) throw notFound(param);
  return kept;
}

export async function findConversation(
  kept: KeptValues,
  [id, param]: ConversationName,
): Promise<KeptConversation> {
  const found = await kept.get(id);
  if (found === undefined) throw notFound(param);
  return found as KeptConversation;
}

/** Also extends the lifetime of its items. @param change `undefined` removes the conversation */
export async function changeConversation(
  kept: KeptValues,
  [id, param]: ConversationName,
  change: (found: KeptConversation) => Promise<Partial<KeptConversation> | undefined>,
): Promise<KeptConversation> {
  let changed: KeptConversation | undefined;
  await kept.update(id, async (value) => {
    if (value === undefined) throw notFound(param);
    const found = value as KeptConversation;
    const part = await change(found);
    changed = { ...found, ...part };
    if (part === undefined || !kept.isDue(found.renewedAt)) return part && changed;
    for (const place of placesOf(id, found.entries)) await kept.renew(keyOf(place));
    return (changed = { ...changed, renewedAt: unixTime() });
  });
  return changed!;
}

export async function createConversation(
  kept: KeptValues,
  items: readonly ConversationItem[],
  metadata: KeptConversation['metadata'],
): Promise<KeptConversation> {
  const now = unixTime();
  const empty = { id: createId('conv_'), created_at: now, metadata, entries: [], renewedAt: now };
  const begun = { ...empty, ...(await extended(kept, empty, toKeptItems(empty, items))) };
  await kept.set(begun.id, JSON.stringify(begun));
  return begun;
}

/** @param isAnswer a model's answer may exceed the max number, and its items get new ids if taken */
export async function addItems(
  kept: KeptValues,
  name: ConversationName,
  { items, isAnswer }: { readonly items: readonly ConversationItem[]; readonly isAnswer?: boolean },
): Promise<KeptItem[]> {
  let added: KeptItem[] = [];
  await changeConversation(kept, name, async (found) => {
    added = toKeptItems(found, items, isAnswer);
    return extended(kept, found, added);
  });
  return added;
}

export async function removeItem(
  kept: KeptValues,
  name: ConversationName,
  itemId: string,
): Promise<KeptConversation> {
  const owner = name[0];
  const changed = await changeConversation(kept, name, async ({ entries }) => {
    const rest = entries.filter(({ id }) => id !== itemId);
    if (rest.length === entries.length) throw notFound('item_id');
    return { entries: rest };
  });
  await kept.delete(keyOf({ owner, id: itemId }));
  return changed;
}

export async function removeConversation(kept: KeptValues, name: ConversationName): Promise<void> {
  const { id, entries } = await changeConversation(kept, name, async () => undefined);
  await removeItems(kept, placesOf(id, entries));
}

/** @throws InferenceError `request_too_large` */
export function assertRoom(count: number, param: string): void {
  if (count <= maxItems) return;
  throw tooLarge(param, `a conversation has at most ${maxItems} items, and this one would have ${count}`);
}

async function extended(
  kept: KeptValues,
  { id, entries }: KeptConversation,
  items: readonly KeptItem[],
): Promise<Pick<KeptConversation, 'entries'>> {
  const all = await keepItems(kept, id, items, { entries });
  if (all === undefined) throw tooLarge('items', 'the conversation would be larger than a request may be');
  return { entries: all };
}

function toKeptItems(
  { entries }: KeptConversation,
  more: readonly ConversationItem[],
  isAnswer = false,
): KeptItem[] {
  const taken = new Set(entries.map(({ id }) => id));
  if (!isAnswer) assertRoom(taken.size + more.length, 'items');
  return more.map((item, index) => {
    const isTaken = item.id != null && taken.has(item.id);
    if (isTaken && !isAnswer)
      throw fieldError(`items[${index}].id`, 'expected a unique id within the conversation');
    const given = isTaken ? undefined : item.id;
    const id = given ?? createId(`${idPrefixes[item.type ?? 'message']}_`);
    taken.add(id);
    return toKeptItem(item, id);
  });
}

/** Clients expect an item with a status and its content in parts. */
function toKeptItem(item: ConversationItem, id: string): KeptItem {
  const kept = { status: 'completed', ...item, id };
  if (kept.type === 'reasoning') return Object.assign(kept, { summary: [] });
  if (kept.type === 'function_call' || kept.type === 'function_call_output') return kept;
  const { role, content } = kept;
  if (typeof content !== 'string') return { ...kept, type: 'message' };
  const part =
    role === 'assistant'
      ? { type: 'output_text' as const, text: content, annotations: [], logprobs: [] }
      : { type: 'input_text' as const, text: content };
  return { ...kept, type: 'message', content: [part] };
}
