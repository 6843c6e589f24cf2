import { exactTextOf } from '../../http/exact-texts.ts';
import type { ChatEvent, ChatUsage, FinishReason } from '../../categories/chat/events.ts';
import type { ChatRequestInput } from '../../categories/chat/request.ts';
import type { SpeechEvent } from '../../categories/speech/events.ts';
import type { AnyRequest } from '../../contracts/engine.ts';
import type { RunEvent } from '../../contracts/run.ts';
import type { ToolCall } from '../../core/chat/messages.ts';
import { InferenceError } from '../../errors.ts';
import { createId } from '../../http/headers.ts';
import { toAnswerFields, toOutput, type AnswerSettings } from './configuration.ts';
import { itemHead, toMessages, toWireItem, type Conversation, type Item } from './conversation.ts';
import type { ItemPart, VoiceDraft } from './schema.ts';
import { createSentenceCutter, createSpeaker, type Speaker } from './speaker.ts';
import type { VoiceCall, VoiceModel } from './voice.ts';

export interface AnswerOptions {
  readonly model: VoiceModel;
  readonly call: VoiceCall;
  readonly settings: AnswerSettings;
  readonly truncation: 'auto' | 'disabled';
  /** The conversation that the answer becomes a part of, if it does. */
  readonly conversation: Conversation | undefined;
  readonly metadata: Readonly<Record<string, string>> | null;
  /** The items to answer, when all that was said is written down. */
  readonly items: () => Promise<readonly Item[]>;
  readonly emit: (event: VoiceDraft) => void;
}

type Status = 'completed' | 'cancelled' | 'incomplete' | 'failed';
type MessageItem = Extract<Item, { type: 'message' }>;

/** A message that is being written, and spoken. */
interface OpenMessage {
  readonly item: MessageItem;
  readonly place: { response_id: string; output_index: number; item_id: string; content_index: 0 };
  readonly speaker: Speaker | undefined;
  text: string;
}

export type Answer = ReturnType<typeof beginAnswer>;

/** Begins one answer of a voice agent: a run of its chat model, and runs of its speech model for the sentences. */
export function beginAnswer({ model, call, settings, conversation, ...options }: AnswerOptions) {
  const id = createId('resp_');
  const controller = new AbortController();
  const cutter = createSentenceCutter();
  const output: Item[] = [];
  const calls: (ToolCall & { arguments: string })[] = [];
  let message: OpenMessage | undefined;
  let isEnded = false;
  let finishReason: FinishReason | undefined;
  let usage: ChatUsage | undefined;

  return {
    id,
    isInConversation: conversation !== undefined,
    get isEnded() {
      return isEnded;
    },
    /** Resolves when it has ended, however it does. */
    ended: answer(),
    cancel(reason: 'client_cancelled' | 'turn_detected'): void {
      if (isEnded) return;
      controller.abort();
      end('cancelled', { reason });
    },
  };

  async function answer(): Promise<void> {
    emit({ type: 'response.created', response: toResponse('in_progress', null) });
    try {
      await think(await options.items());
      message?.speaker?.say(cutter.flush());
      await message?.speaker?.end();
      closeMessage('completed');
      for (const one of calls) tellCall(one);
      if (finishReason === 'length') end('incomplete', { reason: 'max_output_tokens' });
      else end('completed');
    } catch (thrown) {
      if (isEnded) return;
      controller.abort();
      end('failed', { error: call.fail(InferenceError.from(thrown)) });
    }
  }

  async function think(items: readonly Item[]): Promise<void> {
    let left = items;
    for (;;) {
      try {
        return await write(toRequest(model.thinks, settings, left));
      } catch (error) {
        const isTooLong = InferenceError.from(error).code === 'context_length_exceeded';
        const shorter = withoutOldest(left);
        if (!isTooLong || options.truncation === 'disabled' || message || shorter.length === 0) throw error;
        left = shorter;
      }
    }
  }

  async function write(request: ChatRequestInput): Promise<void> {
    let isLimitTold = false;
    for await (const event of run<ChatEvent>('chat', request)) {
      if (!isLimitTold) tellLimits(call.limits());
      isLimitTold = true;
      if (event.type === 'text-delta') add(event.text);
      else if (event.type === 'tool-call-start')
        calls[event.call] = { id: event.id, name: event.name, arguments: '' };
      else if (event.type === 'tool-call-delta') calls[event.call]!.arguments += event.arguments;
      else if (event.type === 'choice-end') ({ finishReason } = event);
      else if (event.type === 'usage') usage = event;
    }
  }

  function run<Event extends RunEvent>(category: string, request: AnyRequest): AsyncIterable<Event> {
    return call.run(request, { category, signal: controller.signal }) as AsyncIterable<Event>;
  }

  function add(text: string): void {
    if (isEnded || (!message && text.trim() === '')) return;
    message ??= openMessage();
    const { speaker, place } = message;
    if (speaker) return cutter.push(text).forEach(speaker.say);
    message.text += text;
    emit({ type: 'response.output_text.delta', ...place, delta: text });
  }

  function openMessage(): OpenMessage {
    const { output: wanted, output_modalities: [modality = 'audio'] = [] } = settings;
    const item: MessageItem = { ...itemHead('in_progress'), type: 'message', role: 'assistant', content: [] };
    const place = { ...placeOf(item), content_index: 0 as const };
    const speaker = createSpeaker({
      model: model.speaks,
      output: wanted,
      speak: (request) => run<SpeechEvent>('speech', request),
      onText(delta) {
        if (message) message.text += delta;
        emit({ type: 'response.output_audio_transcript.delta', ...place, delta });
      },
      async onAudio(delta) {
        emit({ type: 'response.output_audio.delta', ...place, delta });
        await call.room();
      },
    });
    const opened = { item, place, speaker: modality === 'audio' ? speaker : undefined, text: '' };
    tellItem('added', item);
    emit({ type: 'response.content_part.added', ...place, part: toPart(opened) });
    return opened;
  }

  function closeMessage(status: 'completed' | 'incomplete'): void {
    const closed = message;
    if (!closed) return;
    message = undefined;
    const { item, place, speaker, text } = closed;
    const transcript = text.trimEnd();
    if (speaker) {
      emit({ type: 'response.output_audio.done', ...place });
      emit({ type: 'response.output_audio_transcript.done', ...place, transcript });
    } else emit({ type: 'response.output_text.done', ...place, text });
    emit({ type: 'response.content_part.done', ...place, part: toPart(closed) });
    const content: ItemPart = speaker ? { type: 'output_audio', transcript } : { type: 'output_text', text };
    tellItem('done', { ...item, status, content: [content], marks: speaker?.marks });
  }

  function tellCall({ id: call_id, name, arguments: text }: ToolCall): void {
    const item = { ...itemHead('in_progress'), type: 'function_call' as const, call_id, name };
    const place = { ...placeOf(item), call_id };
    tellItem('added', { ...item, arguments: '' });
    emit({ type: 'response.function_call_arguments.delta', ...place, delta: text });
    emit({ type: 'response.function_call_arguments.done', ...place, name, arguments: text });
    tellItem('done', { ...item, status: 'completed', arguments: text });
  }

  function placeOf({ id: item_id }: Pick<Item, 'id'>) {
    return { response_id: id, output_index: output.length, item_id };
  }

  function tellItem(what: 'added' | 'done', item: Item): void {
    const output_index = what === 'added' ? output.push(item) - 1 : output.length - 1;
    output[output_index] = item;
    const wire = toWireItem(item);
    emit({ type: `response.output_item.${what}`, response_id: id, output_index, item: wire });
    if (!conversation) return;
    const previous_item_id = what === 'added' ? conversation.add(item) : conversation.replace(item);
    emit({ type: `conversation.item.${what}`, item: wire, previous_item_id });
  }

  function tellLimits(headers: Readonly<Record<string, string>>): void {
    const rate_limits = ['requests', 'tokens'].flatMap((name) => {
      const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((kind) =>
        parseFloat(headers[`x-ratelimit-${kind}-${name}`] ?? ''),
      );
      return Number.isNaN(limit) ? [] : [{ name, limit, remaining, reset_seconds: reset }];
    });
    if (rate_limits.length > 0) emit({ type: 'rate_limits.updated', rate_limits });
  }

  function end(status: Status, details?: object): void {
    closeMessage('incomplete');
    const told = details ? { type: status, ...details } : null;
    emit({ type: 'response.done', response: toResponse(status, told) });
    isEnded = true;
  }

  function emit(event: VoiceDraft): void {
    if (!isEnded) options.emit(event);
  }

  function toResponse(status: Status | 'in_progress', status_details: object | null) {
    return {
      object: 'realtime.response' as const,
      id,
      status,
      status_details,
      output: output.map(toWireItem),
      conversation_id: conversation?.id ?? null,
      ...toAnswerFields(settings),
      audio: { output: toOutput(settings) },
      metadata: options.metadata,
      usage: status === 'in_progress' ? null : toUsage(usage),
    };
  }
}

function toRequest(model: string, settings: AnswerSettings, items: readonly Item[]): ChatRequestInput {
  const { tool_choice: choice, max_output_tokens: most } = settings;
  const { parallel_tool_calls: parallelToolCalls, temperature } = settings;
  return {
    model,
    messages: toMessages(items, settings.instructions),
    tools: settings.tools?.map(({ type: _function, ...tool }) => {
      return { ...tool, parametersText: exactTextOf(tool.parameters) };
    }),
    toolChoice: typeof choice === 'object' ? { name: choice.name } : choice,
    parallelToolCalls,
    ...(temperature !== undefined && { temperature }),
    ...(typeof most === 'number' && { maxTokens: most }),
  };
}

/** A quarter less, from a message of the user on; the last items if there is none. */
function withoutOldest(items: readonly Item[]): readonly Item[] {
  const begin = Math.ceil(items.length / 4);
  const at = items.findIndex(
    (item, index) => index >= begin && item.type === 'message' && item.role === 'user',
  );
  return at < 0 ? [] : items.slice(at);
}

function toPart({ speaker, text }: OpenMessage) {
  return speaker ? { type: 'audio', transcript: text.trimEnd() } : { type: 'text', text };
}

function toUsage(usage: ChatUsage | undefined) {
  const { promptTokens = 0, cachedTokens = 0, completionTokens = 0 } = usage ?? {};
  return {
    total_tokens: promptTokens + completionTokens,
    input_tokens: promptTokens,
    output_tokens: completionTokens,
    input_token_details: { text_tokens: promptTokens, audio_tokens: 0, cached_tokens: cachedTokens },
    output_token_details: { text_tokens: completionTokens, audio_tokens: 0 },
  };
}
