import { parseExact } from '../../../../core/text/exact-json.ts';
import { orElse } from '../../../../errors.ts';
import type { ChatEvent, ChatUsage } from '../../events.ts';
import { ItemReader, type AnswerItem, type ItemChange } from '../../items.ts';
import type { Message, MessageBlock, MessageEvent } from './schema.ts';

export type MessageHead = Pick<Message, 'id' | 'model'>;

type MessageEnd = Extract<MessageEvent, { type: 'message_delta' }>['delta'];

const stopReasons = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' } as const;
const isOpen = { stop_reason: null, stop_sequence: null } as const;
const noUsage: ChatUsage = { promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 };

export function createMessageStreamer(head: MessageHead): (event: ChatEvent) => MessageEvent[] {
  const items = new ItemReader();
  let hasBegun = false;
  let promptTokens = 0;
  let end: MessageEnd = { stop_reason: 'end_turn', stop_sequence: null };

  const begin = (): MessageEvent[] => {
    if (hasBegun) return [];
    hasBegun = true;
    const message = toBody(head, isOpen, { ...noUsage, promptTokens });
    return [{ type: 'message_start', message }, { type: 'ping' }];
  };
  return (event) => {
    if (event.type === 'prompt-start' || event.type === 'prompt-end') ({ promptTokens } = event);
    if (event.type === 'choice-end') end = toEnd(event);
    const events = Array.from(items.read(event), toEvent);
    if (event.type === 'usage')
      events.push({ type: 'message_delta', delta: end, usage: toUsage(event) }, { type: 'message_stop' });
    const isSeen = events.length > 0 || event.type === 'prompt-end' || event.type === 'choice-end';
    return isSeen ? [...begin(), ...events] : [];
  };
}

function toEvent(change: ItemChange): MessageEvent {
  const { item } = change;
  const { index } = item;
  if (change.type === 'delta')
    return { type: 'content_block_delta', index, delta: toDelta(item, change.text) };
  if (change.type === 'end') return { type: 'content_block_stop', index };
  return { type: 'content_block_start', index, content_block: toBlock(item) };
}

function toDelta(
  { type }: AnswerItem,
  text: string,
): Extract<MessageEvent, { type: 'content_block_delta' }>['delta'] {
  if (type === 'text') return { type: 'text_delta', text };
  return type === 'reasoning'
    ? { type: 'thinking_delta', thinking: text }
    : { type: 'input_json_delta', partial_json: text };
}

/** A call truncated by the limit has the input `{}`. */
function toBlock({ type, text, call }: AnswerItem): MessageBlock {
  if (type === 'text') return { type, text, citations: null };
  if (type === 'reasoning') return { type: 'thinking', thinking: text, signature: '' };
  const input = orElse(() => parseExact(text) as Record<string, unknown>, {});
  return { type: 'tool_use', id: call!.id, name: call!.name, input };
}

export function toMessage(events: Iterable<ChatEvent>, head: MessageHead): Message {
  const items = new ItemReader();
  const content: MessageBlock[] = [];
  let usage = noUsage;
  let end: Pick<Message, keyof MessageEnd> = isOpen;
  for (const event of events) {
    for (const { type, item } of items.read(event)) if (type === 'end') content.push(toBlock(item));
    if (event.type === 'choice-end') end = toEnd(event);
    if (event.type === 'usage') usage = event;
  }
  return { ...toBody(head, end, usage), content };
}

function toBody(head: MessageHead, end: Pick<Message, keyof MessageEnd>, usage: ChatUsage): Message {
  return { type: 'message', role: 'assistant', ...head, content: [], ...end, usage: toUsage(usage) };
}

function toEnd({ finishReason, stopSequence }: Extract<ChatEvent, { type: 'choice-end' }>): MessageEnd {
  return {
    stop_reason: stopSequence === undefined ? stopReasons[finishReason] : 'stop_sequence',
    stop_sequence: stopSequence ?? null,
  };
}

function toUsage({ promptTokens, cachedTokens, completionTokens }: ChatUsage): Message['usage'] {
  return {
    input_tokens: promptTokens - cachedTokens,
    output_tokens: completionTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
  };
}
