import type { ChatMessage, ContentPart, MessageContent, ToolCall } from '../../core/chat/messages.ts';
import { getOrCreate } from '../../core/get-or-create.ts';
import { quote } from '../../core/text/quote.ts';
import { fieldError } from '../../errors.ts';
import { createId } from '../../http/headers.ts';
import type { GivenItem, ItemPart } from './schema.ts';

/** An item as the conversation keeps it: audio is replaced by its transcript. */
export type Item = GivenItem & {
  readonly id: string;
  readonly object: 'realtime.item';
  readonly status: 'completed' | 'incomplete' | 'in_progress';
  readonly spoken?: Spoken | undefined;
};

/** The audio of an item. */
export interface Spoken {
  /** In the order of the text. */
  readonly marks: readonly SpokenMark[];
  /** Length of the audio that was sent. */
  readonly audioMs: number;
}

/** A position in a transcript, and the time at which it is spoken. */
export interface SpokenMark {
  readonly characters: number;
  readonly endMs: number;
}

const maxItems = 1024;

/** The items of a session, in their order. */
export class Conversation {
  readonly id = createId('conv_');
  readonly #maxSize: number;
  readonly #items: Item[] = [];
  readonly #sizes = new WeakMap<Item, number>();

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get items(): readonly Item[] {
    return this.#items;
  }

  /** @param previous the item before it; `root`: it becomes the first one, `undefined`: the last one. @returns id of the item before it */
  add(item: Item, previous?: string | null): string | null {
    this.assertFree(item.id);
    if (this.size(item) > this.#maxSize)
      throw fieldError('item', `expected at most ${this.#maxSize} characters in a conversation`);
    const at = previous == null ? this.#items.length : previous === 'root' ? 0 : 1 + this.#indexOf(previous);
    this.#items.splice(at, 0, item);
    return this.#items[at - 1]?.id ?? null;
  }

  remove(id: string): void {
    this.#items.splice(this.#indexOf(id, 'item_id'), 1);
  }

  /** Call it when an item gets its transcript. */
  recount(id: string): void {
    this.#sizes.delete(this.#items.find((item) => item.id === id)!);
  }

  /**
   * Cuts a spoken item after the words that the user has heard.
   *
   * @throws InferenceError for an item without audio, and for a time after its end
   */
  truncate(id: string, heardMs: number): void {
    const item = this.find(id);
    if (item.type !== 'message' || item.spoken === undefined)
      throw fieldError('item_id', 'expected an answer that was spoken, and has ended');
    const { marks, audioMs } = item.spoken;
    if (heardMs > Math.ceil(audioMs))
      throw fieldError('audio_end_ms', `expected at most ${Math.ceil(audioMs)}, the length of the audio`);
    const content = item.content.map((part) => {
      if (part.type !== 'output_audio') return part;
      return { ...part, transcript: heardText(part.transcript ?? '', marks, heardMs) };
    });
    this.replace({ ...item, content });
  }

  /** UTF-16 code units of all items as JSON, since names and empty parts take memory, too; including `added`. */
  size(added?: Item): number {
    return this.#items.reduce((sum, item) => sum + this.#sizeOf(item), added ? this.#sizeOf(added) : 0);
  }

  /** @throws InferenceError for an id that is taken */
  assertFree(id: string | undefined): void {
    if (this.#items.length >= maxItems)
      throw fieldError('item', `expected at most ${maxItems} items in a conversation`);
    if (this.#items.some((one) => one.id === id)) throw fieldError('item.id', `${quote(id!)} is taken`);
  }

  /** @throws InferenceError for an id that no item has */
  find(id: string): Item {
    return this.#items[this.#indexOf(id, 'item_id')]!;
  }

  /** Replaces the item with the same id, if it still exists. @returns id of the item before it */
  replace(item: Item): string | null {
    const at = this.#items.findIndex(({ id }) => id === item.id);
    if (at >= 0) this.#items[at] = item;
    return this.#items[at - 1]?.id ?? null;
  }

  #sizeOf(item: Item): number {
    return getOrCreate(this.#sizes, item, () => JSON.stringify(item).length);
  }

  #indexOf(id: string, field = 'previous_item_id'): number {
    const at = this.#items.findIndex((item) => item.id === id);
    if (at < 0) throw fieldError(field, `there is no item ${quote(id)}`);
    return at;
  }
}

/** The words that begin before a time; within a piece of audio, each character takes the same time. */
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
  return { ...item, spoken: undefined };
}

/** A part as the conversation keeps it: its type depends on the role. */
export function keptPart(part: ItemPart, role: 'system' | 'user' | 'assistant'): ItemPart {
  const side = role === 'assistant' ? 'output' : 'input';
  if ('text' in part) return { type: `${side}_text` as 'input_text', text: part.text };
  if (part.type === 'input_image') return part;
  return { type: `${side}_audio` as 'input_audio', transcript: part.transcript ?? null };
}

/** Result of a pending call: chat templates refuse a call without a result. */
const pendingResult = '(no result yet)';

/**
 * Items → the messages of a chat, in an order that chat templates accept: a result follows its call. A call whose result came
 * late moves to that result, so that the model answers it next. Results without a call, second results and empty messages are
 * skipped.
 */
export function toMessages(
  items: readonly Item[],
  instructions: string | undefined,
): ChatMessage<MessageContent>[] {
  const results = new Map<string, { output: string; at: number }>();
  for (const [at, item] of items.entries())
    if (item.type === 'function_call_output' && !results.has(item.call_id))
      results.set(item.call_id, { output: item.output, at });
  const messages: ChatMessage<MessageContent>[] = [];
  /** Calls that still need their results. */
  let calls: ToolCall[] = [];
  const addCalls = (): void => {
    if (calls.length === 0) return;
    const last = messages.at(-1);
    if (last?.role === 'assistant' && last.toolCalls === undefined)
      messages[messages.length - 1] = { ...last, toolCalls: calls };
    else messages.push({ role: 'assistant', content: null, toolCalls: calls });
    for (const { id } of calls)
      messages.push({ role: 'tool', toolCallId: id, content: results.get(id)?.output ?? pendingResult });
    calls = [];
  };
  if (instructions) messages.push({ role: 'system', content: instructions });
  const called = new Set<string>();
  const late = new Map<string, ToolCall>();
  for (const [at, item] of items.entries()) {
    if (item.type === 'function_call') {
      const id = item.call_id ?? item.id;
      if (called.has(id)) continue;
      called.add(id);
      const call = { id, name: item.name, arguments: item.arguments };
      if (items.slice(at, results.get(id)?.at ?? at).some(({ type }) => type === 'message'))
        late.set(id, call);
      else calls.push(call);
    } else if (item.type === 'function_call_output') {
      const call = late.get(item.call_id);
      if (call && late.delete(item.call_id)) calls.push(call);
    } else {
      const content = toContent(item.content);
      if (content === '') continue;
      addCalls();
      messages.push({ role: item.role, content } as ChatMessage<MessageContent>);
    }
  }
  addCalls();
  return messages;
}

function toContent(parts: readonly ItemPart[]): MessageContent {
  if (!parts.some(({ type }) => type === 'input_image')) return parts.map(textOf).filter(Boolean).join('\n');
  return parts.map((part): ContentPart => {
    if (part.type !== 'input_image') return { type: 'text', text: textOf(part) };
    return { type: 'image', image: part.image_url, detail: part.detail };
  });
}
