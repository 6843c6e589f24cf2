import type { CallerState, KeptValues } from '../../../../contracts/caller.ts';
import { fieldError } from '../../../../errors.ts';
import { createId, unixTime } from '../../../../http/headers.ts';
import { nothingKept, notFound, tooLarge } from './kept-errors.ts';
import {
  chunkWith,
  draftChunk,
  draftChunks,
  idPrefixes,
  isReadable,
  keepChunks,
  namesOf,
  readChunk,
  sizeOf,
  withoutLogprobs,
  type Chunk,
  type KeptItem,
} from './kept-items.ts';
import type { ConversationItem } from './schema.ts';

/** Max number of items: the head of a conversation has all their ids, and each request reads it. */
const maxItems = 4096;

/** The head of a conversation. */
export interface KeptConversation {
  readonly id: string;
  readonly created_at: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly chunks: readonly Chunk[];
  /** Since then no chunk needed a renewal, in Unix seconds. */
  readonly renewedAt: number;
}

type Kept = Pick<CallerState, 'kept'>;

/** A conversation, and the field that names it. */
interface Named {
  readonly id: string;
  readonly param: string;
}

export async function findConversation({ kept }: Kept, named: Named): Promise<KeptConversation> {
  const found = await valuesOf(kept, named).get(named.id);
  if (found === undefined) throw notFound(named.param);
  return found as KeptConversation;
}

/** Changes the head of a conversation, and has its chunks kept as long as it. */
export async function changeConversation(
  { kept }: Kept,
  named: Named,
  change: (found: KeptConversation, kept: KeptValues) => KeptConversation | Promise<KeptConversation>,
): Promise<KeptConversation> {
  const values = valuesOf(kept, named);
  const { id, param } = named;
  let changed: KeptConversation | undefined;
  const isKept = await values.update(id, async (value) => {
    if (value === undefined) throw notFound(param);
    const found = value as KeptConversation;
    changed = await change(found, values);
    if (!values.isDue(found.renewedAt)) return changed;
    for (const name of namesOf({ owner: id, chunks: found.chunks })) await values.renew(name);
    return (changed = { ...changed, renewedAt: unixTime() });
  });
  if (!isKept) throw tooLarge(param, 'the conversation has more items than are kept of one');
  return changed!;
}

export async function createConversation(
  kept: KeptValues,
  items: readonly ConversationItem[],
  metadata: KeptConversation['metadata'],
): Promise<KeptConversation> {
  const now = unixTime();
  const empty = { id: createId('conv_'), created_at: now, metadata, chunks: [], renewedAt: now };
  const { head } = await keepItems(kept, empty, items);
  if (!(await kept.set(head.id, JSON.stringify(head)))) throw tooLarge('metadata', 'it is too large');
  return head;
}

/**
 * Adds items to the end of a conversation.
 *
 * @param isAnswer whether a model has answered them: they may be more than the max number, and one whose id is taken gets another
 * @returns the items as they are kept
 * @throws InferenceError `invalid_request` or `request_too_large` for items that can't be added
 */
export async function addItems(
  caller: Kept,
  named: Named,
  more: readonly ConversationItem[],
  isAnswer = false,
): Promise<KeptItem[]> {
  let added: KeptItem[] = [];
  await changeConversation(caller, named, async (found, kept) => {
    const { head, items } = await keepItems(kept, found, more, isAnswer);
    added = items;
    return head;
  });
  return added;
}

export async function removeItem(caller: Kept, named: Named, itemId: string): Promise<KeptConversation> {
  const { id: owner } = named;
  return changeConversation(caller, named, async (found, kept) => {
    const chunk = chunkWith(found.chunks, itemId);
    if (chunk === undefined) throw notFound('item_id');
    const items = await readChunk(kept, owner, { chunk, param: 'item_id' });
    const rest = items.filter(({ id }) => id !== itemId);
    // The chunk keeps its number: responses know by it what came before them.
    const draft = draftChunk(rest, chunk.number);
    if (rest.length > 0) await keepChunks(kept, owner, [draft]);
    else for (const name of namesOf({ owner, chunks: [chunk] })) await kept.delete(name);
    const left = rest.length > 0 ? [draft.chunk] : [];
    return { ...found, chunks: found.chunks.flatMap((one) => (one === chunk ? left : [one])) };
  });
}

export async function removeConversation({ kept }: Kept, named: Named): Promise<void> {
  const values = valuesOf(kept, named);
  let names: string[] = [];
  await values.update(named.id, (value) => {
    if (value === undefined) throw notFound(named.param);
    names = namesOf({ owner: named.id, chunks: (value as KeptConversation).chunks });
    return undefined;
  });
  for (const name of names) await values.delete(name);
}

/** @throws InferenceError `request_too_large` for more items than a conversation may have */
export function assertRoom(count: number, param: string): void {
  if (count <= maxItems) return;
  throw tooLarge(param, `a conversation has at most ${maxItems} items, and this one would have ${count}`);
}

function valuesOf(kept: KeptValues | undefined, { id, param }: Named): KeptValues {
  if (kept === undefined) throw nothingKept(param);
  if (!/^conv_[0-9a-f]{32}$/.test(id)) throw notFound(param);
  return kept;
}

async function keepItems(
  kept: KeptValues,
  found: KeptConversation,
  more: readonly ConversationItem[],
  isAnswer = false,
): Promise<{ readonly head: KeptConversation; readonly items: KeptItem[] }> {
  const taken = new Set(found.chunks.flatMap(({ ids }) => ids));
  if (!isAnswer) assertRoom(taken.size + more.length, 'items');
  const items = more.map((item, index) => {
    const isTaken = item.id != null && taken.has(item.id);
    if (isTaken && !isAnswer)
      throw fieldError(`items[${index}].id`, 'expected an id that no other item of the conversation has');
    const given = isTaken ? undefined : item.id;
    const id = given ?? createId(`${idPrefixes[item.type ?? 'message']}_`);
    taken.add(id);
    return toKeptItem(item, id);
  });
  const drafts = draftChunks(items, found.chunks.at(-1)?.number);
  const chunks = [...found.chunks, ...drafts.map(({ chunk }) => chunk)];
  if (!isReadable(sizeOf(chunks), kept) || !(await keepChunks(kept, found.id, drafts)))
    throw tooLarge('items', 'the conversation would be larger than a request may be');
  return { items, head: { ...found, chunks } };
}

/** Clients expect an item with a status, and its content in parts. */
function toKeptItem(item: ConversationItem, id: string): KeptItem {
  const kept = { status: 'completed', ...withoutLogprobs(item), id };
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
