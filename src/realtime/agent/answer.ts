import { exactTextOf } from '../../http/exact-texts.ts';
import { isDelta, type ChatEvent, type FinishReason } from '../../categories/chat/events.ts';
import { chatParameters } from '../../categories/chat/parameters.ts';
import type { ChatRequestInput } from '../../categories/chat/request.ts';
import type { SpeechEvent } from '../../categories/speech/events.ts';
import type { AnyRequest } from '../../contracts/engine.ts';
import type { RunEvent } from '../../contracts/run.ts';
import type { ToolCall } from '../../core/chat/messages.ts';
import { InferenceError } from '../../errors.ts';
import { createId } from '../../http/headers.ts';
import { toAnswerFields, toOutput, type AnswerSettings, type Truncation } from './configuration.ts';
import { itemHead, toMessages, toWireItem, type Conversation, type Item } from './conversation.ts';
import type { ItemPart, VoiceDraft } from './schema.ts';
import type { SentenceCutter } from './sentence-cutter.ts';
import { Speaker } from './speaker.ts';
import type { VoiceCall, VoiceModel } from './voice.ts';

export interface AnswerOptions {
  readonly model: VoiceModel;
  readonly call: VoiceCall;
  readonly settings: AnswerSettings;
  readonly truncation: Truncation;
  /** The conversation that the answer becomes a part of, if it does. */
  readonly conversation: Conversation | undefined;
  readonly metadata: Readonly<Record<string, string>> | null;
  /** Resolves with the items to answer, when all speech is transcribed. */
  readonly items: () => Promise<readonly Item[]>;
  readonly emit: (event: VoiceDraft) => void;
}

const noUsage = { promptTokens: 0, cachedTokens: 0, completionTokens: 0 };

type Status = 'completed' | 'cancelled' | 'incomplete' | 'failed';
type MessageItem = Extract<Item, { type: 'message' }>;

/** A message that is being written, and spoken. */
interface OpenMessage {
  readonly item: MessageItem;
  readonly place: { response_id: string; output_index: number; item_id: string; content_index: 0 };
  readonly speaker: Speaker | undefined;
  text: string;
}

/** One answer of a voice agent: a run of its chat model, and runs of its speech model for the sentences. */
export class VoiceAnswer {
  readonly id = createId('resp_');
  /** Resolves when it has ended, however it does. */
  readonly ended: Promise<void>;
  readonly #options: AnswerOptions;
  readonly #controller = new AbortController();
  #cutter!: SentenceCutter;
  readonly #output: Item[] = [];
  readonly #calls: (ToolCall & { arguments: string })[] = [];
  #message: OpenMessage | undefined;
  #isEnded = false;
  #finishReason: FinishReason | undefined;
  #usage = noUsage;

  constructor(options: AnswerOptions) {
    this.#options = options;
    this.ended = this.#answer();
  }

  get isInConversation(): boolean {
    return this.#options.conversation !== undefined;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  cancel(reason: 'client_cancelled' | 'turn_detected'): void {
    if (this.#isEnded) return;
    this.#controller.abort();
    this.#end('cancelled', { reason });
  }

  async #answer(): Promise<void> {
    this.#emit({ type: 'response.created', response: this.#toResponse('in_progress', null) });
    try {
      // Loads the rules of spoken text, which hosts without an agent don't need.
      const loading = import('./sentence-cutter.ts');
      const items = await this.#options.items();
      this.#cutter = new (await loading).SentenceCutter();
      await this.#think(items);
      this.#message?.speaker?.say(this.#cutter.flush());
      await this.#message?.speaker?.end();
      const isCut = this.#finishReason === 'length';
      const status = isCut ? 'incomplete' : 'completed';
      this.#closeMessage(status);
      for (const one of this.#calls) this.#tellCall(one, one === this.#calls.at(-1) ? status : 'completed');
      if (isCut) this.#end('incomplete', { reason: 'max_output_tokens' });
      else this.#end('completed');
    } catch (thrown) {
      if (this.#isEnded) return;
      this.#controller.abort();
      this.#end('failed', { error: this.#options.call.fail(InferenceError.from(thrown)) });
    }
  }

  async #think(items: readonly Item[]): Promise<void> {
    let left = items;
    for (;;) {
      try {
        return await this.#write(toChatRequest(this.#options.model.thinks, this.#options.settings, left));
      } catch (error) {
        const isTooLong = InferenceError.from(error).code === 'context_length_exceeded';
        const shorter = withoutOldest(left, this.#options.truncation);
        if (!isTooLong || this.#message || shorter.length === 0) throw error;
        left = shorter;
      }
    }
  }

  async #write(request: ChatRequestInput): Promise<void> {
    let isLimitTold = false;
    for await (const event of this.#run<ChatEvent>('chat', request)) {
      if (!isLimitTold) this.#tellLimits(this.#options.call.limits());
      isLimitTold = true;
      this.#count(event);
      if (event.type === 'text-delta') this.#add(event.text);
      else if (event.type === 'tool-call-start')
        this.#calls[event.call] = { id: event.id, name: event.name, arguments: '' };
      else if (event.type === 'tool-call-delta') this.#calls[event.call]!.arguments += event.arguments;
      else if (event.type === 'choice-end') ({ finishReason: this.#finishReason } = event);
    }
  }

  /** An answer that is cancelled gets no event `usage`. */
  #count(event: ChatEvent): void {
    const { completionTokens } = this.#usage;
    if (event.type === 'usage') this.#usage = event;
    else if (event.type === 'prompt-start' || event.type === 'prompt-end')
      this.#usage = { ...noUsage, promptTokens: event.promptTokens };
    else if (isDelta(event))
      this.#usage = { ...this.#usage, completionTokens: completionTokens + (event.tokens ?? 1) };
  }

  #run<Event extends RunEvent>(category: string, request: AnyRequest): AsyncIterable<Event> {
    const options = { category, signal: this.#controller.signal };
    return this.#options.call.run(request, options) as AsyncIterable<Event>;
  }

  #add(text: string): void {
    if (this.#isEnded || (!this.#message && text.trim() === '')) return;
    this.#message ??= this.#openMessage();
    const { speaker, place } = this.#message;
    if (speaker) return this.#cutter.push(text).forEach((sentence) => speaker.say(sentence));
    this.#message.text += text;
    this.#emit({ type: 'response.output_text.delta', ...place, delta: text });
  }

  #openMessage(): OpenMessage {
    const { output: wanted, output_modalities: [modality = 'audio'] = [] } = this.#options.settings;
    const item: MessageItem = { ...itemHead('in_progress'), type: 'message', role: 'assistant', content: [] };
    const place = { ...this.#placeOf(item), content_index: 0 as const };
    const speaker = new Speaker({
      model: this.#options.model.speaks,
      output: wanted,
      speak: (request) => this.#run<SpeechEvent>('speech', request),
      onText: (delta) => {
        if (this.#message) this.#message.text += delta;
        this.#emit({ type: 'response.output_audio_transcript.delta', ...place, delta });
      },
      onAudio: async (delta) => {
        this.#emit({ type: 'response.output_audio.delta', ...place, delta });
        await this.#options.call.room();
      },
    });
    const opened = { item, place, speaker: modality === 'audio' ? speaker : undefined, text: '' };
    this.#tellItem('added', item);
    this.#emit({ type: 'response.content_part.added', ...place, part: toPart(opened) });
    return opened;
  }

  #closeMessage(status: 'completed' | 'incomplete'): void {
    const closed = this.#message;
    if (!closed) return;
    this.#message = undefined;
    const { item, place, speaker, text } = closed;
    const transcript = text.trimEnd();
    if (speaker) {
      this.#emit({ type: 'response.output_audio.done', ...place });
      this.#emit({ type: 'response.output_audio_transcript.done', ...place, transcript });
    } else this.#emit({ type: 'response.output_text.done', ...place, text });
    this.#emit({ type: 'response.content_part.done', ...place, part: toPart(closed) });
    const content: ItemPart = speaker ? { type: 'output_audio', transcript } : { type: 'output_text', text };
    this.#tellItem('done', { ...item, status, content: [content], spoken: speaker?.spoken });
  }

  #tellCall({ id: call_id, name, arguments: text }: ToolCall, status: Item['status']): void {
    const item = { ...itemHead('in_progress'), type: 'function_call' as const, call_id, name };
    const place = { ...this.#placeOf(item), call_id };
    this.#tellItem('added', { ...item, arguments: '' });
    this.#emit({ type: 'response.function_call_arguments.delta', ...place, delta: text });
    this.#emit({ type: 'response.function_call_arguments.done', ...place, name, arguments: text });
    this.#tellItem('done', { ...item, status, arguments: text });
  }

  #placeOf({ id: item_id }: Pick<Item, 'id'>) {
    return { response_id: this.id, output_index: this.#output.length, item_id };
  }

  #tellItem(what: 'added' | 'done', item: Item): void {
    const output_index = what === 'added' ? this.#output.push(item) - 1 : this.#output.length - 1;
    this.#output[output_index] = item;
    const wire = toWireItem(item);
    this.#emit({ type: `response.output_item.${what}`, response_id: this.id, output_index, item: wire });
    if (!this.#options.conversation) return;
    const previous_item_id =
      what === 'added' ? this.#options.conversation.add(item) : this.#options.conversation.replace(item);
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

  #end(status: Status, details?: object): void {
    this.#closeMessage('incomplete');
    const told = details ? { type: status, ...details } : null;
    this.#emit({ type: 'response.done', response: this.#toResponse(status, told) });
    this.#isEnded = true;
  }

  #emit(event: VoiceDraft): void {
    if (!this.#isEnded) this.#options.emit(event);
  }

  #toResponse(status: Status | 'in_progress', status_details: object | null) {
    return {
      object: 'realtime.response' as const,
      id: this.id,
      status,
      status_details,
      output: this.#output.map(toWireItem),
      conversation_id: this.#options.conversation?.id ?? null,
      ...toAnswerFields(this.#options.settings),
      audio: { output: toOutput(this.#options.settings) },
      metadata: this.#options.metadata,
      usage: status === 'in_progress' ? null : toUsage(this.#usage),
    };
  }
}

export function toChatRequest(
  model: string,
  settings: AnswerSettings,
  items: readonly Item[],
): ChatRequestInput {
  const { tool_choice: choice, max_output_tokens: maxTokens } = settings;
  const { parallel_tool_calls: parallelToolCalls, temperature, reasoning } = settings;
  return {
    model,
    messages: toMessages(items, settings.instructions),
    tools: settings.tools?.map(({ type: _function, ...tool }) => {
      return { ...tool, parametersText: exactTextOf(tool.parameters) };
    }),
    toolChoice: typeof choice === 'object' ? { name: choice.name } : choice,
    parallelToolCalls,
    ...(temperature !== undefined && { temperature }),
    ...(reasoning?.effort !== undefined && { reasoningEffort: reasoning.effort }),
    // A spoken answer that stops in the middle is no use: `inf` leaves the end to the model and its context.
    maxTokens: typeof maxTokens === 'number' ? maxTokens : chatParameters.maxTokens.max,
  };
}

/** Drops the oldest items, up to a message of the user. @returns `[]` if nothing may be dropped or no such message follows */
function withoutOldest(items: readonly Item[], truncation: Truncation): readonly Item[] {
  if (truncation === 'disabled') return [];
  const retained = truncation === 'auto' ? 0.75 : truncation.retention_ratio;
  const begin = Math.max(1, items.length - Math.floor(retained * items.length));
  const at = items.findIndex(
    (item, index) => index >= begin && item.type === 'message' && item.role === 'user',
  );
  return at < 0 ? [] : items.slice(at);
}

function toPart({ speaker, text }: OpenMessage) {
  return speaker ? { type: 'audio', transcript: text.trimEnd() } : { type: 'text', text };
}

function toUsage({ promptTokens, cachedTokens, completionTokens }: typeof noUsage) {
  return {
    total_tokens: promptTokens + completionTokens,
    input_tokens: promptTokens,
    output_tokens: completionTokens,
    input_token_details: { text_tokens: promptTokens, audio_tokens: 0, cached_tokens: cachedTokens },
    output_token_details: { text_tokens: completionTokens, audio_tokens: 0 },
  };
}
