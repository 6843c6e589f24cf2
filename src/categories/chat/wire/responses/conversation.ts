import type { CallerState } from '../../../../contracts/caller.ts';
import { fieldError } from '../../../../errors.ts';
import { findConversation } from './kept-conversation.ts';
import { findKept, hasAnswer, notFound, nothingKept, responseIdOf, wholeItems } from './kept-response.ts';
import type { ConversationItem, ResponsesRequestBody } from './schema.ts';

/** An item of a conversation, and the field of the request that it came with. */
export interface PlacedItem {
  readonly item: ConversationItem;
  readonly place: string;
}

/** The part of a conversation that was kept. */
export interface Recalled {
  readonly before: readonly ConversationItem[];
  readonly conversation?: string | undefined;
  /** The items that the request refers to, by their ids. */
  readonly items: ReadonlyMap<string, ConversationItem>;
}

export const nothingRecalled: Recalled = { before: [], items: new Map() };

type Asked = Pick<
  ResponsesRequestBody,
  'input' | 'previous_response_id' | 'conversation' | 'store' | 'background'
>;

export async function recall(asked: Asked, caller: CallerState): Promise<Recalled> {
  const { kept } = caller;
  if (kept === undefined) {
    assertRecallsNothing(asked);
    return nothingRecalled;
  }
  const { previous_response_id: previous } = asked;
  const conversation = typeof asked.conversation === 'string' ? asked.conversation : asked.conversation?.id;
  if (previous != null && conversation !== undefined)
    throw fieldError('conversation', 'expected none beside previous_response_id');
  let before: readonly ConversationItem[] = [];
  if (conversation !== undefined)
    before = (await findConversation(caller, conversation, 'conversation')).items;
  else if (previous != null) before = await itemsOf(caller, previous, 'previous_response_id');
  const items = new Map<string, ConversationItem>();
  let bytes = 0;
  const responses = new Map<string, Map<string | null | undefined, ConversationItem>>();
  for (const { id, place } of referencesOf(asked)) {
    const responseId = responseIdOf(id);
    if (responseId === undefined) throw notFound(place);
    const known =
      responses.get(responseId) ??
      new Map((await itemsOf(caller, responseId, place)).map((item) => [item.id, item]));
    responses.set(responseId, known);
    const item = known.get(id);
    if (item === undefined) throw notFound(place);
    if (items.has(id)) throw fieldError(place, 'expected every item once');
    items.set(id, item);
    bytes += JSON.stringify(item).length;
    if (bytes > kept.maxBytes)
      throw fieldError(place, 'the items are larger together than a request may be', {
        code: 'request_too_large',
      });
  }
  return { before, conversation, items };
}

/** @throws InferenceError `unsupported_feature` for a request that only a service that keeps responses can answer */
export function assertRecallsNothing(asked: Asked): void {
  if (asked.store === true) throw nothingKept('store');
  if (asked.background === true) throw nothingKept('background');
  if (asked.previous_response_id != null) throw nothingKept('previous_response_id');
  if (asked.conversation != null) throw nothingKept('conversation');
  const [first] = referencesOf(asked);
  if (first !== undefined) throw nothingKept(first.place);
}

function referencesOf({ input }: Asked): { readonly id: string; readonly place: string }[] {
  if (typeof input === 'string') return [];
  return input.flatMap((item, index) =>
    item.type === 'item_reference' ? [{ id: item.id, place: `input[${index}]` }] : [],
  );
}

/** All items that a model is to read, in their order. */
export function conversationOf(
  { input }: Pick<Asked, 'input'>,
  { before, conversation, items }: Recalled,
  unseal: CallerState['unseal'],
): PlacedItem[] {
  const placed = before.map((item) => ({
    item,
    place: conversation === undefined ? 'previous_response_id' : 'conversation',
  }));
  if (typeof input === 'string')
    return [...placed, { item: { role: 'user', content: input }, place: 'input' }];
  for (const [index, item] of input.entries()) {
    const place = `input[${index}]`;
    placed.push({
      item: item.type === 'item_reference' ? items.get(item.id)! : opened(item, place),
      place,
    });
  }
  return placed;

  function opened(item: ConversationItem, place: string): ConversationItem {
    if (item.type !== 'reasoning' || item.encrypted_content == null || item.content?.length) return item;
    const text = unseal(item.encrypted_content);
    if (text === undefined) {
      const reason =
        'expected what this service has encrypted for this key; a restart ends its secret, unless the handler has a `reasoningSecret`';
      throw fieldError(`${place}.encrypted_content`, reason);
    }
    return { ...item, content: [{ type: 'reasoning_text', text }] };
  }
}

async function itemsOf(caller: CallerState, id: string, place: string): Promise<ConversationItem[]> {
  const found = await findKept(caller, id, place);
  const { input, response } = found;
  if (!hasAnswer(found))
    throw fieldError(place, `expected a response with an answer, got one that is ${response.status}`);
  return [...input, ...wholeItems(response)];
}
