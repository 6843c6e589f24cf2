import { emptyCommitCode, readAudio } from '../categories/transcription/wire/live/append-audio.ts';
import { encodingOf } from '../categories/transcription/wire/live/configuration.ts';
import { toRecording } from '../categories/transcription/wire/live/speech-input.ts';
import { bytesPerSample } from '../core/audio/containers/pcm-samples.ts';
import { quote } from '../core/text/quote.ts';
import { fieldError, InferenceError } from '../errors.ts';
import { createId } from '../http/headers.ts';
import { parseBody } from '../validation/issues.ts';
import { Answer } from './answer.ts';
import {
  defaultVoiceConfiguration,
  readAnswer,
  toVoiceSession,
  updateVoiceConfiguration,
  type VoiceConfiguration,
} from './configuration.ts';
import { Conversation, itemHead, keptPart, toWireItem, type Item } from './conversation.ts';
import { Hearing, joinHeard, type Heard } from './hearing.ts';
import {
  voiceClientEventSchema,
  type GivenItem,
  type ItemPart,
  type VoiceClientEvent,
  type VoiceDraft,
  type VoiceResponseFields,
  type VoiceServerEvent,
} from './schema.ts';
import { Turns, type Turn } from './turns.ts';
import type { VoiceCall, VoiceInfo } from './voice.ts';

const transcribed = 'conversation.item.input_audio_transcription';
/** Fields whose `null` takes something away. */
const sayNull = new Set(['turn_detection', 'transcription']);
const withFields = new Set(['session', 'response', 'item', 'audio', 'input', 'output', 'turn_detection']);
/** Answers at once, those out of the conversation included. */
const mostAnswers = 4;

type AudioPart = Extract<ItemPart, { transcript?: unknown }>;
type Client<Type extends VoiceClientEvent['type']> = Extract<VoiceClientEvent, { type: Type }>;

/** A conversation with a voice agent, without a socket: the client's events go in, those of the agent come out. */
export class VoiceSession {
  readonly #agent: VoiceInfo;
  readonly #call: VoiceCall;
  readonly #head = { object: 'realtime.session' as const, id: createId('sess_') };
  readonly #conversation = new Conversation();
  readonly #turns: Turns;
  readonly #controller = new AbortController();
  readonly #hearing: Hearing;
  /** Answers under way, each with its end. */
  readonly #answers = new Map<Answer, Promise<void>>();
  readonly #unwritten = new Set<Promise<unknown>>();
  #configuration: VoiceConfiguration;
  /** A turn that nobody has answered has ended, or has ended an answer. */
  #owesAnswer = false;

  constructor(agent: VoiceInfo, call: VoiceCall) {
    this.#agent = agent;
    this.#call = call;
    this.#configuration = defaultVoiceConfiguration(agent.agent);
    this.#hearing = new Hearing(
      (request) => call.run(request, { category: 'transcription', signal: this.#controller.signal }),
      () => this.#account(),
    );
    this.#turns = new Turns(this.#configuration, {
      maxBufferBytes: call.maxBufferBytes,
      hold: (bytes) => this.#hold(bytes),
      transcribe: (audio) => this.#hearing.transcribe(audio, this.#configuration),
      onStart: (item_id, audio_start_ms) => {
        this.#emit({ type: 'input_audio_buffer.speech_started', item_id, audio_start_ms });
        if (!this.#active || !this.#configuration.rules.interrupt_response) return;
        this.#active.cancel('turn_detected');
        this.#owesAnswer = true;
      },
      onTurn: (turn) => void this.#take(turn),
    });
  }

  begin(): void {
    this.#emit({ type: 'session.created', session: this.#session() });
  }

  /** Takes one event of the client, in slices between which others may run; a fault is answered by an event `error`. */
  *receive(message: unknown): Generator<void> {
    const { event_id: id } = (message ?? {}) as { readonly event_id?: unknown };
    const eventId = typeof id === 'string' ? id.slice(0, 512) : undefined;
    try {
      const event = parseBody(voiceClientEventSchema, withoutNulls(message), 'The message');
      if (event.type === 'input_audio_buffer.append') yield* this.#turns.append(event.audio);
      else this.#obey(event);
      this.#account();
    } catch (error) {
      this.refuse(InferenceError.from(error), eventId);
    }
  }

  /** Answers what is no event at all, or one that can't be obeyed. */
  refuse(error: InferenceError, event_id: string | null = null, code?: string): void {
    this.#emit({ type: 'error', error: { ...this.#call.fail(error), ...(code && { code }), event_id } });
  }

  /** Resolves when everything that was received has been answered. */
  async settled(): Promise<void> {
    await this.#hearing.settled();
    while (this.#answers.size > 0) await Promise.all(this.#answers.values());
  }

  close(): void {
    this.#controller.abort();
    for (const answer of this.#answers.keys()) answer.cancel('client_cancelled');
  }

  get #active(): Answer | undefined {
    return [...this.#answers.keys()].find((answer) => answer.isInConversation && !answer.isEnded);
  }

  #obey(event: Exclude<VoiceClientEvent, { type: 'input_audio_buffer.append' }>): void {
    switch (event.type) {
      case 'session.update':
        return this.#configure(event);
      case 'input_audio_buffer.commit': {
        const error = this.#turns.commit();
        return error && this.refuse(error, event.event_id, emptyCommitCode);
      }
      case 'input_audio_buffer.clear':
        this.#turns.clear();
        return this.#emit({ type: 'input_audio_buffer.cleared' });
      case 'conversation.item.create':
        return this.#addItem(this.#keep(event.item), event.previous_item_id);
      case 'conversation.item.retrieve':
        return this.#emit({
          type: 'conversation.item.retrieved',
          item: toWireItem(this.#conversation.find(event.item_id)),
        });
      case 'conversation.item.delete':
        this.#conversation.remove(event.item_id);
        return this.#emit({ type: 'conversation.item.deleted', item_id: event.item_id });
      case 'conversation.item.truncate': {
        const { item_id, audio_end_ms } = event;
        this.#conversation.truncate(item_id, audio_end_ms);
        return this.#emit({ type: 'conversation.item.truncated', item_id, content_index: 0, audio_end_ms });
      }
      case 'response.create':
        return this.#createResponse(event);
      case 'response.cancel':
        return this.#cancel(event);
    }
  }

  #configure({ session }: Client<'session.update'>): void {
    const after = updateVoiceConfiguration(this.#configuration, session, this.#agent);
    const { model } = after.input;
    if (model !== this.#configuration.input.model) this.#call.findModel(model, 'transcription');
    this.#turns.configure(after);
    this.#configuration = after;
    this.#emit({ type: 'session.updated', session: this.#session() });
  }

  /** A turn has ended. Noise in which nobody says a word is none, but what it cut off is said again. */
  async #take({ itemId, parts, endMs: audio_end_ms }: Turn): Promise<void> {
    if (audio_end_ms !== undefined)
      this.#emit({ type: 'input_audio_buffer.speech_stopped', item_id: itemId, audio_end_ms });
    const previous_item_id = this.#conversation.items.at(-1)?.id ?? null;
    this.#emit({ type: 'input_audio_buffer.committed', item_id: itemId, previous_item_id });
    const part: ItemPart = { type: 'input_audio', transcript: null };
    const written = this.#writeDown(itemId, part, parts);
    try {
      this.#addItem({ ...itemHead('completed', itemId), type: 'message', role: 'user', content: [part] });
    } catch (error) {
      return this.refuse(InferenceError.from(error));
    }
    const answers = audio_end_ms !== undefined && this.#configuration.rules.create_response;
    const text = await written;
    this.#owesAnswer = answers && (this.#owesAnswer || text !== '');
    this.#answerTurn();
  }

  /** Answers what was said, once nobody speaks. */
  #answerTurn(): void {
    if (!this.#owesAnswer || this.#active || this.#turns.isOpen || this.#controller.signal.aborted) return;
    this.#owesAnswer = false;
    this.#answer({});
  }

  /** Puts a transcript into its part of an item. @returns it, empty where there is none */
  #writeDown(item_id: string, part: AudioPart, parts: readonly Promise<Heard>[]): Promise<string> {
    const place = { item_id, content_index: 0 as const };
    const tells = this.#configuration.tellsTranscripts;
    const written = Promise.all(parts).then((all) => {
      const { text, usage, error } = joinHeard(all);
      this.#unwritten.delete(written);
      part.transcript = text;
      this.#conversation.recount();
      if (this.#controller.signal.aborted) return '';
      if (error) this.#emit({ type: `${transcribed}.failed`, ...place, error: this.#call.fail(error) });
      else if (tells) {
        if (text !== '') this.#emit({ type: `${transcribed}.delta`, ...place, delta: text });
        this.#emit({ type: `${transcribed}.completed`, ...place, transcript: text, usage });
      }
      return text;
    });
    this.#unwritten.add(written);
    return written;
  }

  #addItem(item: Item, previous?: string | null): void {
    const { maxBufferBytes } = this.#call;
    const answers = (one: Item): boolean =>
      one.type === 'function_call' && item.type === 'function_call_output' && one.call_id === item.call_id;
    if (item.type === 'function_call_output' && !this.#conversation.items.some(answers))
      throw fieldError('item.call_id', `there is no call ${quote(item.call_id)}`);
    const previous_item_id = this.#conversation.add(item, previous);
    if (2 * this.#conversation.size > maxBufferBytes) {
      this.#conversation.remove(item.id);
      throw fieldError('item', `expected at most ${maxBufferBytes / 2} characters in a conversation`);
    }
    this.#emit({ type: 'conversation.item.added', item: toWireItem(item), previous_item_id });
    this.#emit({ type: 'conversation.item.done', item: toWireItem(item), previous_item_id });
  }

  /** An item as the conversation keeps it; audio is written down. */
  #keep(given: GivenItem): Item {
    this.#conversation.assertFree(given.id);
    const head = itemHead('completed', given.id);
    if (given.type !== 'message') return { ...given, call_id: given.call_id ?? head.id, ...head };
    const { format } = this.#configuration.input;
    const content = given.content.map((part) => {
      const kept = keptPart(part, given.role);
      if ('audio' in part && part.audio != null && 'transcript' in kept && kept.transcript === null) {
        const audio = readAudio(part.audio, bytesPerSample[encodingOf(format)]);
        const recording = { file: toRecording(audio, format), bytes: audio.length, endMs: 0 };
        void this.#writeDown(head.id, kept, [this.#hearing.transcribe(recording, this.#configuration)]);
      }
      return kept;
    });
    return { ...given, ...head, content };
  }

  #createResponse({ response = {}, event_id }: Client<'response.create'>): void {
    const isApart = response.conversation === 'none';
    if (this.#active && !isApart) {
      const error = new InferenceError(
        'invalid_request',
        'The conversation already has an answer under way: cancel it, wait for `response.done`, or use `conversation: "none"`.',
      );
      return this.refuse(error, event_id, 'conversation_already_has_active_response');
    }
    if (this.#answers.size >= mostAnswers)
      throw new InferenceError('rate_limited', `Expected at most ${mostAnswers} answers under way.`);
    this.#answer(response);
  }

  #answer(fields: VoiceResponseFields): void {
    const { conversation, input, metadata = null } = fields;
    const given = input?.map((one) =>
      one.type === 'item_reference' ? this.#conversation.find(one.id) : this.#keep(one),
    );
    const answer = new Answer({
      model: this.#agent.agent,
      call: this.#call,
      settings: readAnswer(this.#configuration.answer, fields),
      truncation: this.#configuration.truncation,
      conversation: conversation === 'none' ? undefined : this.#conversation,
      metadata,
      items: async () => {
        await Promise.all(this.#unwritten);
        return given ?? [...this.#conversation.items];
      },
      emit: (event) => this.#emit(event),
    });
    const ended = answer.run().finally(() => {
      this.#answers.delete(answer);
      this.#account();
      this.#answerTurn();
    });
    this.#answers.set(answer, ended);
    this.#account();
  }

  #cancel({ response_id: id, event_id }: Client<'response.cancel'>): void {
    const under = [...this.#answers.keys()].filter((answer) => !answer.isEnded);
    const answer = id === undefined ? this.#active : under.find((one) => one.id === id);
    if (answer) return answer.cancel('client_cancelled');
    const error = new InferenceError('invalid_request', 'There is no such answer under way.');
    this.refuse(error, event_id, 'response_cancel_not_active');
  }

  #account(): void {
    this.#call.pace(this.#hearing.count + this.#answers.size);
    try {
      this.#hold();
    } catch (error) {
      this.refuse(InferenceError.from(error));
    }
  }

  /** @throws InferenceError where more is held than may be */
  #hold(audioBytes = this.#turns.length): void {
    this.#call.hold(audioBytes + this.#hearing.bytes + 2 * this.#conversation.size);
  }

  #session() {
    return { ...this.#head, ...toVoiceSession(this.#configuration, this.#agent.id) };
  }

  #emit(draft: VoiceDraft): void {
    if (this.#controller.signal.aborted) return;
    this.#call.send({ ...draft, event_id: createId('event_') } as VoiceServerEvent);
  }
}

/** A field that is `null` counts as left out, but for those in which it says something. */
function withoutNulls(message: unknown): unknown {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return message;
  const kept = Object.entries(message).filter(([name, value]) => value != null || sayNull.has(name));
  return Object.fromEntries(
    kept.map(([name, value]) => [name, withFields.has(name) ? withoutNulls(value) : value]),
  );
}
