import { emptyCommitCode, eventIdOf, readAudio } from '../append-audio.ts';
import { encodingOf } from '../listening.ts';
import { createHearing, joinHeard, type Heard } from '../hearing.ts';
import { transcribed } from '../protocol.ts';
import { toRecording } from '../speech-input.ts';
import { bytesPerSample } from '../../core/audio/containers/pcm-samples.ts';
import { quote } from '../../core/text/quote.ts';
import { fieldError, InferenceError } from '../../errors.ts';
import { createId } from '../../http/headers.ts';
import { parseBody } from '../../validation/issues.ts';
import { beginAnswer, type Answer } from './answer.ts';
import {
  defaultVoiceConfiguration,
  readAnswer,
  toVoiceSession,
  updateVoiceConfiguration,
} from './configuration.ts';
import { createConversation, itemHead, keptPart, toWireItem, type Item } from './conversation.ts';
import {
  voiceClientEventSchema,
  type GivenItem,
  type ItemPart,
  type VoiceClientEvent,
  type VoiceDraft,
  type VoiceResponseFields,
  type VoiceServerEvent,
} from './schema.ts';
import { createTurns, type Turn } from './turns.ts';
import type { VoiceCall, VoiceInfo } from './voice.ts';

/** Fields whose `null` takes something away. */
const sayNull = new Set(['turn_detection', 'transcription']);
const withFields = new Set(['session', 'response', 'item', 'audio', 'input', 'output', 'turn_detection']);
/** Answers at once, those out of the conversation included. */
const mostAnswers = 4;
/** Recordings that wait, before a message brings another one. */
const mostRecordings = 32;

type AudioPart = Extract<ItemPart, { transcript?: unknown }>;
type Client<Type extends VoiceClientEvent['type']> = Extract<VoiceClientEvent, { type: Type }>;

/** Begins a conversation with a voice agent, without a socket: the client's events go in, those of the agent come out. */
export function createVoiceSession(info: VoiceInfo, call: VoiceCall) {
  const head = { object: 'realtime.session' as const, id: createId('sess_') };
  const conversation = createConversation(call.maxBufferBytes / 2);
  const controller = new AbortController();
  const { signal } = controller;
  /** Answers under way, each with its end. */
  const answers = new Map<Answer, Promise<void>>();
  const unwritten = new Set<Promise<unknown>>();
  let configuration = defaultVoiceConfiguration(info.agent);
  /** A turn that nobody has answered has ended, or has ended an answer. */
  let owesAnswer = false;
  const hearing = createHearing({
    run: (request) => call.run(request, { category: 'transcription', signal }),
    signal,
    onEnd: () => account(),
  });
  const turns = createTurns(configuration, {
    maxBufferBytes: call.maxBufferBytes,
    hold: (bytes) => hold(bytes),
    transcribe: (audio) => hearing.transcribe(audio, configuration.input),
    onStart(item_id, audio_start_ms) {
      emit({ type: 'input_audio_buffer.speech_started', item_id, audio_start_ms });
      const active = activeAnswer();
      if (!active || !configuration.rules.interrupt_response) return;
      active.cancel('turn_detected');
      owesAnswer = true;
    },
    onTurn: (turn) => void take(turn),
  });

  return {
    begin: (): void => emit({ type: 'session.created', session: describe() }),
    /** Takes one event of the client, in slices between which others may run; a fault is answered by an event `error`. */
    *receive(message: unknown): Generator<void> {
      try {
        const event = parseBody(voiceClientEventSchema, withoutNulls(message), 'The message');
        if (event.type === 'input_audio_buffer.append') yield* turns.append(event.audio);
        else obey(event);
        account();
      } catch (error) {
        refuse(InferenceError.from(error), eventIdOf(message));
      }
    },
    refuse,
    /** Resolves when everything that was received has been answered. */
    async settled(): Promise<void> {
      await hearing.settled();
      while (answers.size > 0) await Promise.all(answers.values());
    },
    close(): void {
      controller.abort();
      for (const answer of answers.keys()) answer.cancel('client_cancelled');
    },
  };

  /** Answers what is no event at all, or one that can't be obeyed. */
  function refuse(error: InferenceError, event_id: string | null = null, code?: string): void {
    emit({ type: 'error', error: { ...call.fail(error), ...(code && { code }), event_id } });
  }

  function activeAnswer(): Answer | undefined {
    return [...answers.keys()].find((answer) => answer.isInConversation && !answer.isEnded);
  }

  function obey(event: Exclude<VoiceClientEvent, { type: 'input_audio_buffer.append' }>): void {
    switch (event.type) {
      case 'session.update':
        return configure(event);
      case 'input_audio_buffer.commit': {
        const error = turns.commit();
        return error && refuse(error, event.event_id, emptyCommitCode);
      }
      case 'input_audio_buffer.clear':
        turns.clear();
        return emit({ type: 'input_audio_buffer.cleared' });
      case 'conversation.item.create':
        return addItem(keep(event.item), event.previous_item_id);
      case 'conversation.item.retrieve': {
        const item = toWireItem(conversation.find(event.item_id));
        return emit({ type: 'conversation.item.retrieved', item });
      }
      case 'conversation.item.delete':
        conversation.remove(event.item_id);
        return emit({ type: 'conversation.item.deleted', item_id: event.item_id });
      case 'conversation.item.truncate': {
        const { item_id, audio_end_ms } = event;
        conversation.truncate(item_id, audio_end_ms);
        return emit({ type: 'conversation.item.truncated', item_id, content_index: 0, audio_end_ms });
      }
      case 'response.create':
        return createResponse(event);
      case 'response.cancel':
        return cancel(event);
    }
  }

  function configure({ session }: Client<'session.update'>): void {
    const after = updateVoiceConfiguration(configuration, session, info);
    const { model } = after.input;
    if (model !== configuration.input.model) call.findModel(model, 'transcription');
    turns.configure(after);
    configuration = after;
    emit({ type: 'session.updated', session: describe() });
  }

  /** A turn has ended. Noise in which nobody says a word is none, but what it cut off is said again. */
  async function take({ itemId, parts, endMs: audio_end_ms }: Turn): Promise<void> {
    if (audio_end_ms !== undefined)
      emit({ type: 'input_audio_buffer.speech_stopped', item_id: itemId, audio_end_ms });
    const previous_item_id = conversation.items.at(-1)?.id ?? null;
    emit({ type: 'input_audio_buffer.committed', item_id: itemId, previous_item_id });
    const part: ItemPart = { type: 'input_audio', transcript: null };
    const written = writeDown(itemId, part, parts);
    try {
      addItem({ ...itemHead('completed', itemId), type: 'message', role: 'user', content: [part] });
    } catch (error) {
      return refuse(InferenceError.from(error));
    }
    const isAnswered = audio_end_ms !== undefined && configuration.rules.create_response;
    const text = await written;
    owesAnswer = isAnswered && (owesAnswer || text !== '');
    answerTurn();
  }

  /** Answers what was said, once nobody speaks. */
  function answerTurn(): void {
    if (!owesAnswer || activeAnswer() || turns.isOpen() || signal.aborted) return;
    owesAnswer = false;
    begin({});
  }

  /** Puts a transcript into its part of an item. @returns it, empty where there is none */
  function writeDown(item_id: string, part: AudioPart, parts: readonly Promise<Heard>[]): Promise<string> {
    const place = { item_id, content_index: 0 as const };
    const tells = configuration.tellsTranscripts;
    const written = Promise.all(parts).then((all) => {
      const { text, usage, error } = joinHeard(all);
      unwritten.delete(written);
      part.transcript = text;
      conversation.recount(item_id);
      if (signal.aborted) return '';
      if (error) emit({ type: `${transcribed}.failed`, ...place, error: call.fail(error) });
      else if (tells) {
        if (text !== '') emit({ type: `${transcribed}.delta`, ...place, delta: text });
        emit({ type: `${transcribed}.completed`, ...place, transcript: text, usage });
      }
      return text;
    });
    unwritten.add(written);
    return written;
  }

  function addItem(item: Item, previous?: string | null): void {
    const isCalled = (one: Item): boolean =>
      one.type === 'function_call' && item.type === 'function_call_output' && one.call_id === item.call_id;
    if (item.type === 'function_call_output' && !conversation.items.some(isCalled))
      throw fieldError('item.call_id', `there is no call ${quote(item.call_id)}`);
    hold(turns.length(), item);
    const previous_item_id = conversation.add(item, previous);
    emit({ type: 'conversation.item.added', item: toWireItem(item), previous_item_id });
    emit({ type: 'conversation.item.done', item: toWireItem(item), previous_item_id });
  }

  /** An item as the conversation keeps it; audio is written down. */
  function keep(given: GivenItem): Item {
    conversation.assertFree(given.id);
    const own = itemHead('completed', given.id);
    if (given.type !== 'message') return { ...given, call_id: given.call_id ?? own.id, ...own };
    const { format } = configuration.input;
    const content = given.content.map((part) => {
      const kept = keptPart(part, given.role);
      if ('audio' in part && part.audio != null && 'transcript' in kept && kept.transcript === null) {
        if (hearing.count >= mostRecordings)
          throw new InferenceError('rate_limited', `${mostRecordings} recordings wait, which is the most.`);
        const audio = readAudio(part.audio, bytesPerSample[encodingOf(format)]);
        const recording = { file: toRecording(audio, format), bytes: audio.length, endMs: 0 };
        void writeDown(own.id, kept, [hearing.transcribe(recording, configuration.input)]);
      }
      return kept;
    });
    return { ...given, ...own, content };
  }

  function createResponse({ response = {}, event_id }: Client<'response.create'>): void {
    const isApart = response.conversation === 'none';
    if (activeAnswer() && !isApart) {
      const error = new InferenceError(
        'invalid_request',
        'The conversation already has an answer under way: cancel it, wait for `response.done`, or use `conversation: "none"`.',
      );
      return refuse(error, event_id, 'conversation_already_has_active_response');
    }
    if (answers.size >= mostAnswers)
      throw new InferenceError('rate_limited', `Expected at most ${mostAnswers} answers under way.`);
    begin(response);
  }

  function begin(fields: VoiceResponseFields): void {
    const given = fields.input?.map((one) =>
      one.type === 'item_reference' ? conversation.find(one.id) : keep(one),
    );
    // For the model, each mention of an item is its whole text.
    if (given && new Set(given).size < given.length)
      throw fieldError('response.input', 'expected each item once');
    const answer = beginAnswer({
      model: info.agent,
      call,
      settings: readAnswer(configuration.answer, fields),
      truncation: configuration.truncation,
      conversation: fields.conversation === 'none' ? undefined : conversation,
      metadata: fields.metadata ?? null,
      async items() {
        await Promise.all(unwritten);
        return given ?? [...conversation.items];
      },
      emit,
    });
    const ended = answer.ended.finally(() => {
      answers.delete(answer);
      account();
      answerTurn();
    });
    answers.set(answer, ended);
    account();
  }

  function cancel({ response_id: id, event_id }: Client<'response.cancel'>): void {
    const under = [...answers.keys()].filter((answer) => !answer.isEnded);
    const answer = id === undefined ? activeAnswer() : under.find((one) => one.id === id);
    if (answer) return answer.cancel('client_cancelled');
    const error = new InferenceError('invalid_request', 'There is no such answer under way.');
    refuse(error, event_id, 'response_cancel_not_active');
  }

  function account(): void {
    call.pace(hearing.count + answers.size);
    try {
      hold();
    } catch (error) {
      refuse(InferenceError.from(error));
    }
  }

  /** @throws InferenceError where more is held than may be */
  function hold(audioBytes = turns.length(), added?: Item): void {
    call.hold(audioBytes + hearing.bytes + 2 * conversation.size(added));
  }

  function describe() {
    return { ...head, ...toVoiceSession(configuration, info.id) };
  }

  function emit(draft: VoiceDraft): void {
    if (signal.aborted) return;
    call.send({ ...draft, event_id: createId('event_') } as VoiceServerEvent);
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
