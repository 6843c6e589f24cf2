import { assertHearable, assertVoiceOf } from '../assert-offered.ts';
import { encodingOf } from '../listening.ts';
import { GrowingText, joinHeard, type Heard, type Pause } from '../hearing.ts';
import { RealtimeSession } from '../session.ts';
import { readAudio, toRecording } from '../speech-input.ts';
import { endsSentence, type Turn } from '../turns.ts';
import { bytesPerSample } from '../../core/audio/containers/pcm-samples.ts';
import { quote } from '../../core/text/quote.ts';
import { fieldError, InferenceError, unsupportedError } from '../../errors.ts';
import { VoiceAnswer } from './answer.ts';
import { EarlyAnswer, toUserItem } from './early-answer.ts';
import {
  defaultVoiceConfiguration,
  maxPauseMs,
  readAnswer,
  toVoiceSession,
  updateVoiceConfiguration,
  type AnswerSettings,
  type VoiceConfiguration,
} from './configuration.ts';
import { Conversation, itemHead, keptPart, toWireItem, type Item } from './conversation.ts';
import {
  voiceClientEventSchema,
  type GivenItem,
  type ItemPart,
  type VoiceClientEvent,
  type VoiceDraft,
  type VoiceResponseFields,
} from './schema.ts';
import type { VoiceCall, VoiceInfo } from './voice.ts';

/** Fields that `null` clears. */
const clearableFields = new Set(['turn_detection', 'transcription']);
const nestedFields = new Set(['session', 'response', 'item', 'audio', 'input', 'output', 'turn_detection']);
/** Answers in progress, including the ones outside of the conversation. */
const maxAnswers = 4;
/** Recordings that may wait before a message with a recording is refused. */
const maxRecordings = 32;

type AudioPart = Extract<ItemPart, { transcript?: unknown }>;
type Client<Type extends VoiceClientEvent['type']> = Extract<VoiceClientEvent, { type: Type }>;
type OwnEvent = Exclude<VoiceClientEvent, { type: `input_audio_buffer.${string}` }>;

/** A conversation with a voice agent. */
export class VoiceSession extends RealtimeSession<OwnEvent, VoiceDraft> {
  readonly #info: VoiceInfo;
  readonly #call: VoiceCall;
  readonly #conversation: Conversation;
  /** Answers in progress, each with the promise of its end. */
  readonly #answers = new Map<VoiceAnswer, Promise<void>>();
  readonly #unwritten = new Set<Promise<unknown>>();
  readonly #early: EarlyAnswer;
  #configuration: VoiceConfiguration;
  /** A turn is over and has no answer yet, or it has interrupted one. */
  #isAnswerDue = false;
  /** Whether the chat model has read the instructions and items. */
  #isPromptRead = false;

  constructor(info: VoiceInfo, call: VoiceCall) {
    const begun = defaultVoiceConfiguration(info.agent);
    const isEager = info.agent.eagerness !== 'low';
    super(call, { schema: voiceClientEventSchema, begun: begun.input, isEager });
    this.#info = info;
    this.#early = new EarlyAnswer(call.run, this.controller.signal);
    this.#call = { ...call, run: (request, options = {}) => this.#early.run(request, options) };
    this.#conversation = new Conversation(call.maxBufferBytes / 2);
    this.#configuration = begun;
  }

  override async settled(): Promise<void> {
    await super.settled();
    while (this.#answers.size > 0) await Promise.all(this.#answers.values());
  }

  override close(): void {
    super.close();
    for (const answer of this.#answers.keys()) answer.cancel('client_cancelled');
  }

  protected override get runs(): number {
    return super.runs + this.#answers.size;
  }

  protected override hold(audioBytes = this.turns.length(), added?: Item): void {
    super.hold(audioBytes + 2 * this.#conversation.size(added));
  }

  protected override prepare(message: unknown): unknown {
    return withoutNulls(message);
  }

  protected obey(event: OwnEvent): void {
    switch (event.type) {
      case 'session.update':
        return this.#configure(event);
      case 'conversation.item.create':
        return this.#addItem(this.#keep(event.item), event.previous_item_id);
      case 'conversation.item.retrieve': {
        const item = toWireItem(this.#conversation.find(event.item_id));
        return this.emit({ type: 'conversation.item.retrieved', item });
      }
      case 'conversation.item.delete':
        this.#conversation.remove(event.item_id);
        return this.emit({ type: 'conversation.item.deleted', item_id: event.item_id });
      case 'conversation.item.truncate': {
        const { item_id, audio_end_ms } = event;
        this.#conversation.truncate(item_id, audio_end_ms);
        return this.emit({ type: 'conversation.item.truncated', item_id, content_index: 0, audio_end_ms });
      }
      case 'response.create':
        return this.#createResponse(event);
      case 'response.cancel':
        return this.#cancel(event);
    }
  }

  protected override startTurn(itemId: string, startMs: number): void {
    super.startTurn(itemId, startMs);
    this.#early.drop();
    this.#readPrompt();
    const active = this.#activeAnswer();
    if (!active || !this.#configuration.rules.interrupt_response) return;
    active.cancel('turn_detected');
    this.#isAnswerDue = true;
  }

  /** Begins the answer to a turn that may be over. */
  protected override async pauseTurn(
    { heard, isOver }: Pause,
    parts: readonly Promise<Heard>[],
  ): Promise<void> {
    let isDecided = false;
    void isOver.then((isSo) => {
      isDecided = true;
      return isSo ? undefined : this.#early.drop();
    });
    const { text } = joinHeard(await Promise.all([...parts, heard]));
    await Promise.all(this.#unwritten);
    const { rules, answer } = this.#configuration;
    if (isDecided || text === '' || this.#activeAnswer() || !this.#mayAnswerEarly) return;
    // A turn continues after a text that doesn't end.
    if (rules.eagerness && !endsSentence(text)) return;
    await this.#early.begin(this.#info.agent, answer, [...this.#conversation.items, toUserItem(text)]);
  }

  /** Whether answers may begin before their turn is over. */
  get #mayAnswerEarly(): boolean {
    const { eagerness = 'high' } = this.#info.agent;
    return eagerness === 'high' && this.#configuration.rules.create_response;
  }

  #readPrompt(): void {
    if (this.#isPromptRead || !this.#mayAnswerEarly) return;
    this.#isPromptRead = true;
    void this.#early.readPrompt(this.#info.agent, this.#configuration.answer, this.#conversation.items);
  }

  #activeAnswer(): VoiceAnswer | undefined {
    return [...this.#answers.keys()].find((answer) => answer.isInConversation && !answer.isEnded);
  }

  #configure({ session }: Client<'session.update'>): void {
    const after = updateVoiceConfiguration(this.#configuration, session, this.#info);
    const { input, output } = session.audio ?? {};
    if (input?.transcription)
      assertHearable(after.input, this.#call.findModel(after.input.model, 'transcription'));
    if (output?.voice) this.#assertVoice('session', after.answer);
    this.turns.configure(after.input, maxPauseMs(after.rules));
    this.#configuration = after;
    this.#isPromptRead = false;
    this.emit({ type: 'session.updated', session: this.describe() });
  }

  /** Ends a turn. Noise without a word is no turn, but the answer that it interrupted is given again. */
  protected async endTurn(turn: Turn): Promise<void> {
    const { itemId, parts, text: growing, endMs } = turn;
    this.tellCommitted(turn, this.#conversation.items.at(-1)?.id ?? null);
    const part: ItemPart = { type: 'input_audio', transcript: null };
    const written = this.#writeDown(itemId, part, parts);
    try {
      this.#addItem({ ...itemHead('completed', itemId), type: 'message', role: 'user', content: [part] });
    } catch (error) {
      return this.refuse(InferenceError.from(error));
    }
    if (this.#configuration.tellsTranscripts) this.tellGrowth(itemId, growing);
    const isAnswered = endMs !== undefined && this.#configuration.rules.create_response;
    const text = await written;
    this.#isAnswerDue = isAnswered && (this.#isAnswerDue || text !== '');
    this.#answerTurn();
  }

  /** Begins the answer that is due, unless the user speaks. */
  #answerTurn(): void {
    if (!this.#isAnswerDue || this.#activeAnswer() || this.turns.isOpen() || this.controller.signal.aborted)
      return;
    this.#isAnswerDue = false;
    this.#begin({});
  }

  /** Puts a transcript into its part of an item. @returns the transcript, `''` if there is none */
  #writeDown(item_id: string, part: AudioPart, parts: readonly Promise<Heard>[]): Promise<string> {
    const { tellsTranscripts } = this.#configuration;
    const written = Promise.all(parts).then((all) => {
      const heard = joinHeard(all);
      this.#unwritten.delete(written);
      part.transcript = heard.text;
      this.#conversation.recount(item_id);
      this.tellHeard(item_id, heard, tellsTranscripts);
      return this.controller.signal.aborted ? '' : heard.text;
    });
    this.#unwritten.add(written);
    return written;
  }

  #addItem(item: Item, previous?: string | null): void {
    const isCalled = (one: Item): boolean =>
      one.type === 'function_call' && item.type === 'function_call_output' && one.call_id === item.call_id;
    if (item.type === 'function_call_output' && !this.#conversation.items.some(isCalled))
      throw fieldError('item.call_id', `there is no call ${quote(item.call_id)}`);
    this.hold(this.turns.length(), item);
    this.#isPromptRead = false;
    const previous_item_id = this.#conversation.add(item, previous);
    this.emit({ type: 'conversation.item.added', item: toWireItem(item), previous_item_id });
    this.emit({ type: 'conversation.item.done', item: toWireItem(item), previous_item_id });
  }

  /** An item as the conversation keeps it; audio is transcribed. */
  #keep(given: GivenItem): Item {
    this.#conversation.assertFree(given.id);
    const own = itemHead('completed', given.id);
    if (given.type !== 'message') return { ...given, call_id: given.call_id ?? own.id, ...own };
    this.#assertSeen(given);
    const { format } = this.#configuration.input;
    const content = given.content.map((part) => {
      const kept = keptPart(part, given.role);
      if ('audio' in part && part.audio != null && 'transcript' in kept && kept.transcript === null) {
        if (this.hearing.count >= maxRecordings)
          throw new InferenceError('rate_limited', `${maxRecordings} recordings wait, which is the most.`);
        const audio = readAudio(part.audio, bytesPerSample[encodingOf(format)]);
        const recording = { file: toRecording(audio, format), bytes: audio.length, endMs: 0 };
        const text = new GrowingText();
        if (this.#configuration.tellsTranscripts) this.tellGrowth(own.id, text);
        const heard = this.hearing.transcribe(recording, this.#configuration.input, text.add());
        void this.#writeDown(own.id, kept, [heard]);
      }
      return kept;
    });
    return { ...given, ...own, content };
  }

  /** A picture that the model can't take would make every later answer fail. */
  #assertSeen({ content }: Extract<GivenItem, { type: 'message' }>): void {
    const index = content.findIndex(({ type }) => type === 'input_image');
    if (index < 0) return;
    const { inputModalities } = this.#call.findModel(this.#info.agent.thinks, 'chat');
    if (inputModalities?.includes('image') !== false) return;
    const reason = `the model ${quote(this.#info.agent.thinks)} takes no pictures`;
    throw unsupportedError(`item.content[${index}]`, reason);
  }

  #assertVoice(owner: 'session' | 'response', { output: { voice } }: AnswerSettings): void {
    const model = this.#call.findModel(this.#info.agent.speaks, 'speech');
    assertVoiceOf(model, `${owner}.audio.output.voice`, voice);
  }

  #createResponse({ response = {}, event_id }: Client<'response.create'>): void {
    const isApart = response.conversation === 'none';
    if (this.#activeAnswer() && !isApart) {
      const error = new InferenceError(
        'invalid_request',
        'The conversation already has an answer under way: cancel it, wait for `response.done`, or use `conversation: "none"`.',
      );
      return this.refuse(error, event_id, 'conversation_already_has_active_response');
    }
    if (this.#answers.size >= maxAnswers)
      throw new InferenceError('rate_limited', `Expected at most ${maxAnswers} answers under way.`);
    this.#begin(response);
  }

  #begin(fields: VoiceResponseFields): void {
    const given = fields.input?.map((one) =>
      one.type === 'item_reference' ? this.#conversation.find(one.id) : this.#keep(one),
    );
    // The model would read each mention of an item as its whole text.
    if (given && new Set(given).size < given.length)
      throw fieldError('response.input', 'expected each item once');
    const settings = readAnswer(this.#configuration.answer, fields, 'response');
    if (fields.audio?.output?.voice) this.#assertVoice('response', settings);
    this.#isPromptRead ||= fields.conversation !== 'none' && given === undefined;
    const answer = new VoiceAnswer({
      model: this.#info.agent,
      call: this.#call,
      settings,
      truncation: this.#configuration.truncation,
      conversation: fields.conversation === 'none' ? undefined : this.#conversation,
      metadata: fields.metadata ?? null,
      items: async () => {
        await Promise.all(this.#unwritten);
        return given ?? [...this.#conversation.items];
      },
      emit: (draft) => this.emit(draft),
    });
    const ended = answer.ended.finally(() => {
      this.#answers.delete(answer);
      this.account();
      this.#answerTurn();
    });
    this.#answers.set(answer, ended);
    this.account();
  }

  #cancel({ response_id: id, event_id }: Client<'response.cancel'>): void {
    const under = [...this.#answers.keys()].filter((answer) => !answer.isEnded);
    const answer = id === undefined ? this.#activeAnswer() : under.find((one) => one.id === id);
    if (answer) return answer.cancel('client_cancelled');
    const error = new InferenceError('invalid_request', 'There is no such answer under way.');
    this.refuse(error, event_id, 'response_cancel_not_active');
  }

  protected describe() {
    const session = toVoiceSession(this.#configuration, this.#info.id);
    return { object: 'realtime.session' as const, id: this.id, ...session };
  }
}

/** A field that is `null` counts as omitted, except in `clearableFields`. */
function withoutNulls(message: unknown): unknown {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return message;
  const kept = Object.entries(message).filter(([name, value]) => value != null || clearableFields.has(name));
  return Object.fromEntries(
    kept.map(([name, value]) => [name, nestedFields.has(name) ? withoutNulls(value) : value]),
  );
}
