import type { CallerState } from '../../../../contracts/caller.ts';
import { fieldError } from '../../../../errors.ts';
import { findKept, notFound, nothingKept, responseIdOf, type KeptResponse } from './kept-response.ts';
import type { ConversationItem, ModelResponse, ResponsesRequestBody } from './schema.ts';

/** An item of a conversation, and the field of the request that it came with. */
export interface PlacedItem {
  readonly item: ConversationItem;
  readonly place: string;
}

/** Responses that were kept, by their ids. */
export type Recalled = ReadonlyMap<string, KeptResponse>;

type Asked = Pick<ResponsesRequestBody, 'input' | 'previous_response_id' | 'store'>;

/**
 * Fetches the responses that a request refers to.
 *
 * @throws InferenceError `response_not_found`; `unsupported_feature` where nothing is kept
 */
export async function recall(asked: Asked, caller: CallerState): Promise<Recalled> {
  if (caller.kept === undefined) assertRecallsNothing(asked);
  const recalled = new Map<string, KeptResponse>();
  for (const { id, place } of referencesOf(asked)) {
    if (id === undefined) throw notFound(place);
    if (!recalled.has(id)) recalled.set(id, await findKept(caller, id, place));
  }
  return recalled;
}

/** @throws InferenceError `unsupported_feature` for a request that only a service that keeps responses can answer */
export function assertRecallsNothing(asked: Asked): void {
  if (asked.store === true) throw nothingKept('store');
  const [first] = referencesOf(asked);
  if (first !== undefined) throw nothingKept(first.place);
}

interface Reference {
  /** Of a response; `undefined` where an item's id has none in it. */
  readonly id: string | undefined;
  readonly place: string;
}

function referencesOf({ input, previous_response_id }: Asked): Reference[] {
  const previous = previous_response_id == null ? [] : [previous_response_id];
  const items = typeof input === 'string' ? [] : input;
  return [
    ...previous.map((id) => ({ id, place: 'previous_response_id' })),
    ...items.flatMap((item, index) =>
      item.type === 'item_reference' ? [{ id: responseIdOf(item.id), place: `input[${index}]` }] : [],
    ),
  ];
}

/**
 * All items that a model is to read, in their order.
 *
 * @param recalled the responses that the request refers to
 * @throws InferenceError `response_not_found` for an item that isn't there, `invalid_request` for reasoning that was not
 * encrypted here
 */
export function conversationOf(
  { input, previous_response_id }: Asked,
  recalled: Recalled,
  unseal: CallerState['unseal'],
): PlacedItem[] {
  const previous = previous_response_id == null ? undefined : recalled.get(previous_response_id);
  const before = previous ? [...previous.input, ...replayable(previous.response.output)] : [];
  const placed = before.map((item) => ({ item, place: 'previous_response_id' }));
  if (typeof input === 'string')
    return [...placed, { item: { role: 'user', content: input }, place: 'input' }];
  for (const [index, item] of input.entries()) {
    const place = `input[${index}]`;
    placed.push({
      item: item.type === 'item_reference' ? find(item.id, recalled, place) : opened(item, place),
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

function find(id: string, recalled: Recalled, place: string): ConversationItem {
  const kept = recalled.get(responseIdOf(id) ?? '');
  const item = [...(kept?.input ?? []), ...replayable(kept?.response.output ?? [])].find(
    (one) => one.id === id,
  );
  if (item === undefined) throw notFound(place);
  return item;
}

/** A call that was cut off has no result. */
function replayable(output: ModelResponse['output']): ConversationItem[] {
  return output.filter(({ type, status }) => type !== 'function_call' || status === 'completed');
}
