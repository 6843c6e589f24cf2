import { parseExact } from '../../../../core/text/exact-json.ts';
import { orElse } from '../../../../errors.ts';
import type { ChatEvent, ChatUsage } from '../../events.ts';
import type { Message, MessageBlock, MessageEvent } from './schema.ts';

/** The parts of a message that are known before its answer. */
export type MessageHead = Pick<Message, 'id' | 'model'>;

const stopReasons = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' } as const;

type Delta = Extract<MessageEvent, { type: 'content_block_delta' }>['delta'];
/** Why a message ends. */
type MessageEnd = Extract<MessageEvent, { type: 'message_delta' }>['delta'];

/** Makes what turns the events of one answer, in order, into those of a streamed message. */
export function createMessageStreamer(head: MessageHead): (event: ChatEvent) => MessageEvent[] {
  let isOpen = false;
  let index = -1;
  let type: MessageBlock['type'] | undefined;
  let promptTokens = 0;
  let end: MessageEnd = { stop_reason: 'end_turn', stop_sequence: null };

  const open = (): MessageEvent[] => {
    if (isOpen) return [];
    isOpen = true;
    const usage = toUsage({ promptTokens, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 });
    const message = { ...head, content: [], stop_reason: null, stop_sequence: null, usage };
    return [
      { type: 'message_start', message: { type: 'message', role: 'assistant', ...message } },
      { type: 'ping' },
    ];
  };
  const close = (): MessageEvent[] => {
    if (type === undefined) return [];
    type = undefined;
    return [{ type: 'content_block_stop', index }];
  };
  const begin = (block: MessageBlock): MessageEvent[] => {
    const before = [...open(), ...close()];
    ({ type } = block);
    return [...before, { type: 'content_block_start', index: ++index, content_block: block }];
  };
  const extend = (delta: Delta): MessageEvent => ({ type: 'content_block_delta', index, delta });
  const within = (block: MessageBlock, delta: Delta): MessageEvent[] => {
    const before = type === block.type ? [] : begin(block);
    return [...before, extend(delta)];
  };

  return (event) => {
    switch (event.type) {
      case 'prompt-start':
      case 'prompt-end':
        ({ promptTokens } = event);
        return event.type === 'prompt-end' ? open() : [];
      case 'text-delta':
        return within({ type: 'text', text: '', citations: null }, { type: 'text_delta', text: event.text });
      case 'reasoning-delta': {
        const delta: Delta = { type: 'thinking_delta', thinking: event.text };
        return within({ type: 'thinking', thinking: '', signature: '' }, delta);
      }
      case 'tool-call-start':
        return begin({ type: 'tool_use', id: event.id, name: event.name, input: {} });
      case 'tool-call-delta':
        return [extend({ type: 'input_json_delta', partial_json: event.arguments })];
      case 'choice-end': {
        const { finishReason, stopSequence: stop_sequence = null } = event;
        const stop_reason = stop_sequence === null ? stopReasons[finishReason] : 'stop_sequence';
        end = { stop_reason, stop_sequence };
        return [...open(), ...close()];
      }
      case 'usage':
        return [
          ...open(),
          { type: 'message_delta', delta: end, usage: toUsage(event) },
          { type: 'message_stop' },
        ];
      default:
        return [];
    }
  };
}

/** All events of a chat request → the body of a whole message. A call whose arguments the limit cuts off has the input `{}`. */
export function toMessage(events: Iterable<ChatEvent>, head: MessageHead): Message {
  let message: Message | undefined;
  const blocks: { readonly block: MessageBlock; text: string }[] = [];
  for (const event of [...events].flatMap(createMessageStreamer(head))) {
    if (event.type === 'message_start') ({ message } = event);
    else if (event.type === 'content_block_start') blocks.push({ block: event.content_block, text: '' });
    else if (event.type === 'content_block_delta') blocks.at(-1)!.text += textOf(event.delta);
    else if (event.type === 'message_delta') message = { ...message!, ...event.delta, usage: event.usage };
  }
  return { ...message!, content: blocks.map(({ block, text }) => filled(block, text)) };
}

function textOf(delta: Delta): string {
  if (delta.type === 'text_delta') return delta.text;
  return delta.type === 'thinking_delta' ? delta.thinking : delta.partial_json;
}

function filled(block: MessageBlock, text: string): MessageBlock {
  if (block.type === 'text') return { ...block, text };
  if (block.type === 'thinking') return { ...block, thinking: text };
  return { ...block, input: orElse(() => parseExact(text) as Record<string, unknown>, {}) };
}

function toUsage({ promptTokens, cachedTokens, completionTokens }: ChatUsage): Message['usage'] {
  return {
    input_tokens: promptTokens - cachedTokens,
    output_tokens: completionTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
  };
}
