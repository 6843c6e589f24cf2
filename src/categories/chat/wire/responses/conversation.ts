import type { CallerState, KeptValues } from '../../../../contracts/caller.ts';
import type { RequestBudget } from '../../../../contracts/endpoint.ts';
import { fieldError } from '../../../../errors.ts';
import { assertRoom, findConversation, storeFor } from './kept-conversation.ts';
import {
  isReadable,
  noSize,
  notFound,
  storeDisabled,
  placesOf,
  readItems,
  sizeOf,
  tooLarge,
} from './kept-items.ts';
import {
  findKept,
  hasAnswer,
  placesBefore,
  responseIdOf,
  type Before,
  type KeptResponse,
} from './kept-response.ts';
import type { ConversationItem, ResponsesRequestBody } from './schema.ts';

export interface PlacedItem {
  readonly item: ConversationItem;
  readonly place: string;
}

/** The stored part of a conversation. */
export interface Recalled {
  readonly before: Before;
  readonly items: readonly ConversationItem[];
  /** Items that the request references, by id. */
  readonly referred: ReadonlyMap<string, ConversationItem>;
}

export const nothingRecalled: Recalled = { before: { size: noSize }, items: [], referred: new Map() };

type Asked = Pick<
  ResponsesRequestBody,
  'input' | 'previous_response_id' | 'conversation' | 'store' | 'background'
>;

/** @throws InferenceError `response_not_found`; `request_too_large` for more than one request may hold, checked before reading */
export async function recall(asked: Asked, caller: CallerState, budget: RequestBudget): Promise<Recalled> {
  const { kept } = caller;
  if (kept === undefined) {
    assertRecallsNothing(asked);
    return nothingRecalled;
  }
  const { previous_response_id: previous } = asked;
  const id = typeof asked.conversation === 'string' ? asked.conversation : asked.conversation?.id;
  if (previous != null && id !== undefined)
    throw fieldError('conversation', 'not allowed with previous_response_id');
  await budget.pause();
  const param = id === undefined ? 'previous_response_id' : 'conversation';
  let { before } = nothingRecalled;
  if (id !== undefined) {
    const { entries } = await findConversation(storeFor(caller, [id, param]), [id, param]);
    before = { size: sizeOf(entries), conversation: { id, last: entries.at(-1)?.number ?? 0 } };
    assertRoom(before.size.count + (typeof asked.input === 'string' ? 1 : asked.input.length), param);
  } else if (previous != null) {
    const head = await findAnswered(caller, previous, param);
    before = { size: sizeOf(head.entries, head.before.size), previous };
  }
  if (!isReadable(before.size, kept))
    throw tooLarge(param, 'the conversation is larger than a request may be');
  budget.hold(before.size.bytes);
  const items = await readItems(kept, await placesBefore(kept, before, { budget, param }), budget);
  return { before, items, referred: await readReferred(kept, { caller, asked, budget }) };
}

async function readReferred(
  kept: KeptValues,
  { caller, asked, budget }: { caller: CallerState; asked: Asked; budget: RequestBudget },
): Promise<Map<string, ConversationItem>> {
  const referred = new Map<string, ConversationItem>();
  let head: KeptResponse | undefined;
  let bytes = 0;
  for (const { id, place } of referencesOf(asked)) {
    await budget.pause();
    const responseId = responseIdOf(id);
    if (responseId === undefined) throw notFound(place);
    if (head?.id !== responseId) head = await findAnswered(caller, responseId, place);
    const entry = head.entries.find((one) => one.id === id);
    if (entry === undefined) throw notFound(place);
    if (referred.has(id)) throw fieldError(place, 'expected each item only once');
    bytes += entry.bytes;
    if (bytes > kept.maxBytes) throw tooLarge(place, 'the items are larger together than a request may be');
    budget.hold(entry.bytes);
    const [item] = await readItems(kept, placesOf(responseId, [entry]), budget);
    referred.set(id, item!);
  }
  return referred;
}

/** @throws InferenceError `unsupported_feature` for a request that needs stored responses */
export function assertRecallsNothing(asked: Asked): void {
  if (asked.store === true) throw storeDisabled('store');
  if (asked.background === true) throw storeDisabled('background');
  if (asked.previous_response_id != null) throw storeDisabled('previous_response_id');
  if (asked.conversation != null) throw storeDisabled('conversation');
  const [first] = referencesOf(asked);
  if (first !== undefined) throw storeDisabled(first.place);
}

function referencesOf({ input }: Asked): { readonly id: string; readonly place: string }[] {
  if (typeof input === 'string') return [];
  return input.flatMap((item, index) =>
    item.type === 'item_reference' ? [{ id: item.id, place: `input[${index}]` }] : [],
  );
}

/** All items for the model, in order; ids are unique. */
export function conversationOf(
  { input }: Pick<Asked, 'input'>,
  { before, items, referred }: Recalled,
  unseal: CallerState['unseal'],
): PlacedItem[] {
  const place = before.conversation === undefined ? 'previous_response_id' : 'conversation';
  const placed = items.map((item): PlacedItem => ({ item, place }));
  if (typeof input === 'string')
    return [...placed, { item: { role: 'user', content: input }, place: 'input' }];
  const taken = new Set(items.map(({ id }) => id));
  for (const [index, item] of input.entries()) {
    const ownPlace = `input[${index}]`;
    if (item.id != null && taken.has(item.id))
      throw fieldError(`${ownPlace}.id`, 'expected a unique id within the conversation');
    taken.add(item.id);
    const found = item.type === 'item_reference' ? referred.get(item.id)! : opened(item, ownPlace);
    placed.push({ item: found, place: ownPlace });
  }
  return placed;

  function opened(item: ConversationItem, ownPlace: string): ConversationItem {
    if (item.type !== 'reasoning' || item.encrypted_content == null || item.content?.length) return item;
    const text = unseal(item.encrypted_content);
    if (text === undefined) {
      const reason =
        'expected text that this service encrypted for this key; its secret is lost on restart, unless the handler has a `reasoningSecret`';
      throw fieldError(`${ownPlace}.encrypted_content`, reason);
    }
    return { ...item, content: [{ type: 'reasoning_text', text }] };
  }
}

async function findAnswered(caller: CallerState, id: string, place: string): Promise<KeptResponse> {
  const found = await findKept(caller, id, place);
  if (hasAnswer(found)) return found;
  throw fieldError(place, `expected a response with an answer, got one that is ${found.status}`);
}
