import type { ChatMessage, ContentPart, MessageContent, ToolCall } from '../../core/chat/messages.ts';
import { getOrCreate } from '../../core/get-or-create.ts';
import { quote } from '../../core/text/quote.ts';
import { fieldError } from '../../errors.ts';
import { createId } from '../../http/headers.ts';
import type { GivenItem, ItemPart } from './schema.ts';

/** An item as the conversation keeps it: a transcript in the place of audio. */
export type Item = GivenItem & {
  readonly id: string;
  readonly object: 'realtime.item';
  readonly status: 'completed' | 'incomplete' | 'in_progress';
  /** Audio of the item up to which each beginning of its transcript is spoken. */
  readonly marks?: readonly SpokenMark[] | undefined;
};

/** A place in a transcript, and when it is spoken. */
export interface SpokenMark {
  readonly characters: number;
  readonly endMs: number;
}

const mostItems = 1024;

/** The items of a session, in their order. */
export type Conversation = ReturnType<typeof createConversation>;

export function createConversation(maxSize: number) {
  const items: Item[] = [];
  const sizes = new WeakMap<Item, number>();
  const sizeOf = (item: Item): number => getOrCreate(sizes, item, () => JSON.stringify(item).length);
  /** UTF-16 code units of all items as JSON, since names and empty parts take memory, too; with another one. */
  const size = (added?: Item): number =>
    items.reduce((sum, item) => sum + sizeOf(item), added ? sizeOf(added) : 0);
  const indexOf = (id: string, field = 'previous_item_id'): number => {
    const at = items.findIndex((item) => item.id === id);
    if (at < 0) throw fieldError(field, `there is no item ${quote(id)}`);
    return at;
  };
  /** @throws InferenceError for an id that is taken */
  const assertFree = (id: string | undefined): void => {
    if (items.length >= mostItems)
      throw fieldError('item', `expected at most ${mostItems} items in a conversation`);
    if (items.some((one) => one.id === id)) throw fieldError('item.id', `${quote(id!)} is taken`);
  };
  /** @throws InferenceError for an id that no item has */
  const find = (id: string): Item => items[indexOf(id, 'item_id')]!;
  /** Puts an item in the place of the one with its id, if there still is one. @returns id of the item before it */
  const replace = (item: Item): string | null => {
    const at = items.findIndex(({ id }) => id === item.id);
    if (at >= 0) items[at] = item;
    return items[at - 1]?.id ?? null;
  };

  return {
    id: createId('conv_'),
    items: items as readonly Item[],
    assertFree,
    find,
    replace,
    size,
    /** @param previous `root` for none, `undefined` for the last one. @returns id of the item before it */
    add(item: Item, previous?: string | null): string | null {
      assertFree(item.id);
      if (size(item) > maxSize)
        throw fieldError('item', `expected at most ${maxSize} characters in a conversation`);
      const at = previous == null ? items.length : previous === 'root' ? 0 : 1 + indexOf(previous);
      items.splice(at, 0, item);
      return items[at - 1]?.id ?? null;
    },
    remove(id: string): void {
      items.splice(indexOf(id, 'item_id'), 1);
    },
    /** An item has got its transcript. */
    recount(id: string): void {
      sizes.delete(items.find((item) => item.id === id)!);
    },
    /** Keeps only what was heard of a spoken item. */
    truncate(id: string, heardMs: number): void {
      const item = find(id);
      if (item.type !== 'message' || item.role !== 'assistant')
        throw fieldError('item_id', 'expected a message of the assistant');
      const content = item.content.map((part) => {
        if (part.type !== 'output_audio') return part;
        return { ...part, transcript: heardText(part.transcript ?? '', item.marks ?? [], heardMs) };
      });
      replace({ ...item, content });
    },
  };
}

/** The words that begin before a time; within a piece of audio, characters take the same time each. */
function heardText(text: string, marks: readonly SpokenMark[], heardMs: number): string {
  let [from, fromMs] = [0, 0];
  for (const { characters, endMs } of marks) {
    if (heardMs < endMs) {
      const share = (heardMs - fromMs) / (endMs - fromMs);
      const cut = from + Math.ceil(share * (characters - from));
      const isWithin = /\S/.test(text[cut - 1] ?? '') && /\S/.test(text[cut] ?? '');
      const heard = text.slice(0, cut);
      return (isWithin ? heard.replace(/\S+$/, '') : heard).trimEnd();
    }
    [from, fromMs] = [characters, endMs];
  }
  return text;
}

function textOf(part: ItemPart): string {
  if ('text' in part) return part.text;
  return part.type === 'input_image' ? part.image_url : (part.transcript ?? '');
}

export function itemHead<Status extends Item['status']>(status: Status, id = createId('item_')) {
  return { id, object: 'realtime.item' as const, status };
}

export function toWireItem(item: Item) {
  return { ...item, marks: undefined };
}

/** A part as the conversation keeps it, in the words of the role that says it. */
export function keptPart(part: ItemPart, role: 'system' | 'user' | 'assistant'): ItemPart {
  const side = role === 'assistant' ? 'output' : 'input';
  if ('text' in part) return { type: `${side}_text` as 'input_text', text: part.text };
  if (part.type === 'input_image') return part;
  return { type: `${side}_audio` as 'input_audio', transcript: part.transcript ?? null };
}

/** Items → the messages of a chat. Messages without a word are left out. */
export function toMessages(
  items: readonly Item[],
  instructions: string | undefined,
): ChatMessage<MessageContent>[] {
  const messages: ChatMessage<MessageContent>[] = [];
  if (instructions) messages.push({ role: 'system', content: instructions });
  for (const item of items) {
    const last = messages.at(-1);
    if (item.type === 'function_call_output') {
      messages.push({ role: 'tool', toolCallId: item.call_id, content: item.output });
    } else if (item.type === 'function_call') {
      const call: ToolCall = { id: item.call_id ?? item.id, name: item.name, arguments: item.arguments };
      if (last?.role === 'assistant')
        messages[messages.length - 1] = { ...last, toolCalls: [...(last.toolCalls ?? []), call] };
      else messages.push({ role: 'assistant', content: null, toolCalls: [call] });
    } else {
      const content = toContent(item.content);
      if (content !== '') messages.push({ role: item.role, content } as ChatMessage<MessageContent>);
    }
  }
  return messages;
}

function toContent(parts: readonly ItemPart[]): MessageContent {
  if (!parts.some(({ type }) => type === 'input_image')) return parts.map(textOf).filter(Boolean).join('\n');
  return parts.map((part): ContentPart => {
    if (part.type !== 'input_image') return { type: 'text', text: textOf(part) };
    return { type: 'image', image: part.image_url, detail: part.detail };
  });
}
