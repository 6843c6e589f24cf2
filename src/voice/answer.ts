import type { ChatEvent, ChatUsage, FinishReason } from '../categories/chat/events.ts';
import type { ChatRequestInput } from '../categories/chat/request.ts';
import type { SpeechEvent } from '../categories/speech/events.ts';
import type { ToolCall } from '../core/chat/messages.ts';
import { InferenceError } from '../errors.ts';
import { toAnswerFields, toOutput, type AnswerSettings } from './configuration.ts';
import { itemHead, toMessages, toWireItem, type Conversation, type Item } from './conversation.ts';
import type { VoiceDraft } from './schema.ts';
import { SentenceCutter, Speaker } from './speaker.ts';
import type { VoiceSurroundings } from './surroundings.ts';

/** One answer, before it begins. */
export interface AnswerOptions {
  readonly settings: AnswerSettings;
  readonly truncation: 'auto' | 'disabled';
  /** The conversation that the answer becomes a part of, if it does. */
  readonly conversation: Conversation | undefined;
  readonly conversationId: string;
  readonly metadata: Readonly<Record<string, string>> | null;
  /** The items to answer, when all that was said is written down. */
  readonly items: () => Promise<readonly Item[]>;
  readonly emit: (event: VoiceDraft) => void;
}

type Surroundings = Pick<VoiceSurroundings, 'model' | 'createId' | 'describe' | 'limits' | 'room' | 'run'>;
type Status = 'completed' | 'cancelled' | 'incomplete' | 'failed';
type CancelReason = 'client_cancelled' | 'turn_detected';
type MessageItem = Extract<Item, { type: 'message' }>;

/** A message that is being written, and spoken. */
interface OpenMessage {
  readonly item: MessageItem;
  readonly place: { response_id: string; output_index: number; item_id: string; content_index: 0 };
  readonly speaker: Speaker | undefined;
  text: string;
}

/** One answer of a voice agent: a run of its chat model, and runs of its speech model for the sentences. */
export class Answer {
  readonly id: string;
  readonly #options: AnswerOptions;
  readonly #surroundings: Surroundings;
  readonly #controller = new AbortController();
  readonly #cutter = new SentenceCutter();
  readonly #output: Item[] = [];
  readonly #calls: ToolCall[] = [];
  #message: OpenMessage | undefined;
  #usage: ChatUsage | undefined;
  #isEnded = false;

  constructor(options: AnswerOptions, surroundings: Surroundings) {
    this.id = surroundings.createId('resp_');
    this.#options = options;
    this.#surroundings = surroundings;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Whether it is part of the conversation, of which there is one at a time. */
  get isInConversation(): boolean {
    return this.#options.conversation !== undefined;
  }

  /** Resolves when it has ended, however it does. */
  async run(): Promise<void> {
    this.#emit({ type: 'response.created', response: this.#toResponse('in_progress', null) });
    try {
      const reason = await this.#think(await this.#options.items());
      this.#say(this.#cutter.flush());
      await this.#message?.speaker?.end();
      this.#closeMessage('completed');
      for (const call of this.#calls) this.#tellCall(call);
      if (reason === 'length') this.#end('incomplete', { type: 'incomplete', reason: 'max_output_tokens' });
      else this.#end('completed', null);
    } catch (thrown) {
      if (this.#isEnded) return;
      const error = this.#surroundings.describe(InferenceError.from(thrown));
      this.#controller.abort();
      this.#end('failed', { type: 'failed', error });
    }
  }

  /** Ends it at once. */
  cancel(reason: CancelReason): void {
    if (this.#isEnded) return;
    this.#controller.abort();
    this.#end('cancelled', { type: 'cancelled', reason });
  }

  async #think(items: readonly Item[]): Promise<FinishReason | undefined> {
    const { settings, truncation } = this.#options;
    let left = items;
    for (;;) {
      try {
        return await this.#write(toRequest(this.#surroundings.model.thinks, settings, left));
      } catch (error) {
        const isTooLong = InferenceError.from(error).code === 'context_length_exceeded';
        const shorter = withoutOldest(left);
        if (!isTooLong || truncation === 'disabled' || this.#message || shorter.length === 0) throw error;
        left = shorter;
      }
    }
  }

  async #write(request: ChatRequestInput): Promise<FinishReason | undefined> {
    const { run, limits } = this.#surroundings;
    const calls: { id: string; name: string; arguments: string }[] = [];
    let reason: FinishReason | undefined;
    let isLimitTold = false;
    for await (const event of run('chat', request, this.#controller.signal) as AsyncIterable<ChatEvent>) {
      if (!isLimitTold) this.#tellLimits(limits());
      isLimitTold = true;
      if (event.type === 'text-delta') this.#add(event.text);
      else if (event.type === 'tool-call-start')
        calls[event.call] = { id: event.id, name: event.name, arguments: '' };
      else if (event.type === 'tool-call-delta') calls[event.call]!.arguments += event.arguments;
      else if (event.type === 'choice-end') reason = event.finishReason;
      else if (event.type === 'usage') this.#usage = event;
    }
    this.#calls.push(...calls);
    return reason;
  }

  #add(text: string): void {
    if (this.#isEnded || (!this.#message && text.trim() === '')) return;
    const message = (this.#message ??= this.#openMessage());
    if (message.speaker) return this.#cutter.push(text).forEach((sentence) => this.#say(sentence));
    message.text += text;
    this.#emit({ type: 'response.output_text.delta', ...message.place, delta: text });
  }

  #say(text: string): void {
    this.#message?.speaker?.say(text);
  }

  #openMessage(): OpenMessage {
    const { settings } = this.#options;
    const { createId, model, run, room } = this.#surroundings;
    const isSpoken = settings.modality === 'audio';
    const item: MessageItem = {
      ...itemHead(createId('item_'), 'in_progress'),
      type: 'message',
      role: 'assistant',
      content: [],
    };
    const place = {
      response_id: this.id,
      output_index: this.#output.length,
      item_id: item.id,
      content_index: 0 as const,
    };
    const speaker = isSpoken
      ? new Speaker({
          model: model.speaks,
          settings,
          speak: (request) => run('speech', request, this.#controller.signal) as AsyncIterable<SpeechEvent>,
          onText: (delta) => {
            if (this.#message) this.#message.text += delta;
            this.#emit({ type: 'response.output_audio_transcript.delta', ...place, delta });
          },
          onAudio: async (delta) => {
            this.#emit({ type: 'response.output_audio.delta', ...place, delta });
            await room();
          },
        })
      : undefined;
    this.#tellItem('added', item);
    const part = isSpoken ? { type: 'audio', transcript: '' } : { type: 'text', text: '' };
    this.#emit({ type: 'response.content_part.added', ...place, part });
    return { item, place, speaker, text: '' };
  }

  #closeMessage(status: 'completed' | 'incomplete'): void {
    if (!this.#message) return;
    const { item, place, speaker, text } = this.#message;
    this.#message = undefined;
    const transcript = text.trimEnd();
    if (speaker) {
      this.#emit({ type: 'response.output_audio.done', ...place });
      this.#emit({ type: 'response.output_audio_transcript.done', ...place, transcript });
    } else this.#emit({ type: 'response.output_text.done', ...place, text });
    const part = speaker ? { type: 'audio', transcript } : { type: 'text', text };
    this.#emit({ type: 'response.content_part.done', ...place, part });
    const content = [
      speaker ? { type: 'output_audio' as const, transcript } : { type: 'output_text' as const, text },
    ];
    this.#tellItem('done', { ...item, status, content, marks: speaker?.marks });
  }

  #tellCall({ id, name, arguments: text }: ToolCall): void {
    const item = {
      ...itemHead(this.#surroundings.createId('item_'), 'in_progress'),
      type: 'function_call' as const,
      call_id: id,
      name,
    };
    const place = { response_id: this.id, output_index: this.#output.length, item_id: item.id, call_id: id };
    this.#tellItem('added', { ...item, arguments: '' });
    this.#emit({ type: 'response.function_call_arguments.delta', ...place, delta: text });
    this.#emit({ type: 'response.function_call_arguments.done', ...place, name, arguments: text });
    this.#tellItem('done', { ...item, status: 'completed', arguments: text });
  }

  #tellItem(what: 'added' | 'done', item: Item): void {
    const { conversation } = this.#options;
    const output_index = what === 'added' ? this.#output.push(item) - 1 : this.#output.length - 1;
    this.#output[output_index] = item;
    const wire = toWireItem(item);
    this.#emit({ type: `response.output_item.${what}`, response_id: this.id, output_index, item: wire });
    if (!conversation) return;
    if (what === 'done') conversation.replace(item);
    const at = conversation.items.findIndex(({ id }) => id === item.id);
    const previous_item_id =
      what === 'added' ? conversation.add(item) : (conversation.items[at - 1]?.id ?? null);
    this.#emit({ type: `conversation.item.${what}`, item: wire, previous_item_id });
  }

  #tellLimits(headers: Readonly<Record<string, string>>): void {
    const rate_limits = ['requests', 'tokens'].flatMap((name) => {
      const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((kind) =>
        parseFloat(headers[`x-ratelimit-${kind}-${name}`] ?? ''),
      );
      return Number.isNaN(limit) ? [] : [{ name, limit, remaining, reset_seconds: reset }];
    });
    if (rate_limits.length > 0) this.#emit({ type: 'rate_limits.updated', rate_limits });
  }

  #end(status: Status, details: object | null): void {
    this.#closeMessage('incomplete');
    this.#emit({ type: 'response.done', response: this.#toResponse(status, details) });
    this.#isEnded = true;
  }

  #emit(event: VoiceDraft): void {
    if (!this.#isEnded) this.#options.emit(event);
  }

  #toResponse(status: Status | 'in_progress', status_details: object | null) {
    const { settings, conversation, conversationId, metadata } = this.#options;
    return {
      object: 'realtime.response' as const,
      id: this.id,
      status,
      status_details,
      output: this.#output.map(toWireItem),
      conversation_id: conversation ? conversationId : null,
      ...toAnswerFields(settings),
      audio: { output: toOutput(settings) },
      metadata,
      usage: status === 'in_progress' ? null : toUsage(this.#usage),
    };
  }
}

function toRequest(model: string, settings: AnswerSettings, items: readonly Item[]): ChatRequestInput {
  const { tools, toolChoice, parallelToolCalls, temperature, maxOutputTokens: maxTokens } = settings;
  const wishes = Object.entries({ toolChoice, parallelToolCalls, temperature, maxTokens });
  return {
    model,
    messages: toMessages(items, settings.instructions),
    ...(tools.length > 0 && { tools }),
    ...Object.fromEntries(wishes.filter(([, value]) => value !== undefined)),
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
