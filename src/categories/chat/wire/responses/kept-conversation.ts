import type { CallerState } from '../../../../contracts/caller.ts';
import { createId } from '../../../../http/headers.ts';
import { idPrefixes, notFound, nothingKept, tooLarge } from './kept-response.ts';
import type { ConversationItem } from './schema.ts';

export interface KeptConversation {
  readonly id: string;
  readonly created_at: number;
  readonly metadata: Readonly<Record<string, string>>;
  /** Each has an id of its own, and the form in which clients expect it. */
  readonly items: readonly ConversationItem[];
}

/**
 * Finds a conversation.
 * @param param the field that names it
 * @param change makes it another one that is kept in its place; `undefined` deletes it
 */
export async function findConversation<Found extends KeptConversation | undefined = KeptConversation>(
  { kept }: Pick<CallerState, 'kept'>,
  id: string,
  param: string,
  change?: (found: KeptConversation) => Found,
): Promise<Found> {
  if (kept === undefined) throw nothingKept(param);
  if (!/^conv_[0-9a-f]{32}$/.test(id)) throw notFound(param);
  let result: unknown;
  const read = (value: unknown): object | undefined => {
    if (value === undefined) throw notFound(param);
    result = change ? change(value as KeptConversation) : value;
    return result as Found;
  };
  if (change === undefined) read(await kept.get(id));
  else if (!(await kept.update(id, read))) throw tooLarge('items', 'the conversation');
  return result as Found;
}

/** A conversation with more items. An item keeps its id, unless another one has it. */
export function withItems(
  conversation: KeptConversation,
  more: readonly ConversationItem[],
): KeptConversation {
  const taken = new Set(conversation.items.map(({ id }) => id));
  const items = more.map((item) => {
    const given = item.id == null || taken.has(item.id) ? undefined : item.id;
    const id = given ?? createId(`${idPrefixes[item.type ?? 'message']}_`);
    taken.add(id);
    return toKeptItem(item, id);
  });
  return { ...conversation, items: [...conversation.items, ...items] };
}

/** Clients expect an item with a status, and its content in parts. */
function toKeptItem(item: ConversationItem, id: string): ConversationItem {
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
