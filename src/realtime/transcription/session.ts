import type { SocketCall } from '../../contracts/endpoint.ts';
import { InferenceError } from '../../errors.ts';
import { createId } from '../../http/headers.ts';
import { parseBody } from '../../validation/issues.ts';
import type { TranscriptionEvent } from '../../categories/transcription/events.ts';
import type { TranscriptionRequestInput } from '../../categories/transcription/request.ts';
import { appendAudio, emptyCommitCode, eventIdOf, tooShortError } from '../append-audio.ts';
import {
  defaultConfiguration,
  toSession,
  updateConfiguration,
  type ConfigurationUpdate,
} from '../listening.ts';
import { createHearing } from '../hearing.ts';
import { transcribed } from '../protocol.ts';
import { liveClientEventSchema, type LiveClientEvent, type LiveServerEvent } from './schema.ts';
import { createSpeechInput, type SpeechChange, type SpokenAudio } from '../speech-input.ts';

/** The parts of a socket's call that a session needs, which it also has without a socket. */
export type LiveCall = Omit<
  SocketCall<TranscriptionRequestInput, TranscriptionEvent>,
  'query' | 'headers' | 'turn' | 'room' | 'limits'
>;

type Draft = LiveServerEvent extends infer Event
  ? Event extends LiveServerEvent
    ? Omit<Event, 'event_id'>
    : never
  : never;

/**
 * Begins a live transcription, without a socket: the client's events go in, those of the server come out.
 * @param model the model until the client names another
 */
export function createLiveSession(model: string, call: LiveCall) {
  const head = { object: 'realtime.transcription_session' as const, id: createId('sess_') };
  let configuration = defaultConfiguration(model);
  const input = createSpeechInput(configuration);
  /** Id of the utterance that somebody is speaking. */
  let spokenId: string | undefined;
  let lastItemId: string | null = null;
  const hold = (audioBytes = input.length()): void => call.hold(audioBytes + hearing.bytes);
  const hearing = createHearing({
    run: (request) => call.run(request),
    signal: call.signal,
    onEnd() {
      call.pace(hearing.count);
      hold();
    },
  });

  const emit = (draft: Draft): void =>
    call.send({ ...draft, event_id: createId('event_') } as LiveServerEvent);
  const describeSession = (what: 'created' | 'updated'): void =>
    emit({ type: `session.${what}`, session: { ...head, ...toSession(configuration) } });
  const configure = (update: ConfigurationUpdate): void => {
    const after = updateConfiguration(configuration, update, defaultConfiguration(model));
    if (after.model !== configuration.model) call.findModel(after.model);
    if (input.configure(after, 'session.audio.input.format')) spokenId = undefined;
    configuration = after;
  };
  const complete = (audio: SpokenAudio): void => {
    const item_id = spokenId ?? createId('item_');
    const previous_item_id = lastItemId;
    lastItemId = item_id;
    spokenId = undefined;
    void writeDown(item_id, audio);
    emit({ type: 'input_audio_buffer.committed', item_id, previous_item_id });
    const item = toItem(item_id);
    emit({ type: 'conversation.item.added', item, previous_item_id });
    emit({ type: 'conversation.item.done', item, previous_item_id });
  };
  const writeDown = async (item_id: string, audio: SpokenAudio): Promise<void> => {
    const place = { item_id, content_index: 0 as const };
    const onText = (delta: string): void => emit({ type: `${transcribed}.delta`, ...place, delta });
    const { text: transcript, usage, error } = await hearing.transcribe(audio, configuration, onText);
    if (call.signal.aborted) return;
    if (error) emit({ type: `${transcribed}.failed`, ...place, error: call.fail(error) });
    else emit({ type: `${transcribed}.completed`, ...place, transcript, usage: usage! });
  };
  const onChange = (change: SpeechChange): void => {
    if (change.type === 'start') {
      spokenId = createId('item_');
      const { startMs: audio_start_ms } = change;
      return emit({ type: 'input_audio_buffer.speech_started', item_id: spokenId, audio_start_ms });
    }
    const { endMs: audio_end_ms } = change.audio;
    emit({ type: 'input_audio_buffer.speech_stopped', item_id: spokenId!, audio_end_ms });
    complete(change.audio);
  };
  /** Answers what is no event at all, or one that can't be obeyed. */
  const refuse = (error: InferenceError, event_id: string | null = null, code?: string): void =>
    emit({ type: 'error', error: { ...call.fail(error), ...(code && { code }), event_id } });

  function* obey(event: LiveClientEvent): Generator<void> {
    switch (event.type) {
      case 'input_audio_buffer.append': {
        const { maxBufferBytes } = call;
        return yield* appendAudio(event.audio, { input, maxBufferBytes, hold, onChange });
      }
      case 'session.update':
        configure(event.session.audio?.input ?? {});
        return describeSession('updated');
      case 'input_audio_buffer.commit': {
        const error = tooShortError(input);
        return error ? refuse(error, event.event_id, emptyCommitCode) : complete(input.cutSpeech());
      }
      case 'input_audio_buffer.clear':
        input.clear();
        spokenId = undefined;
        return emit({ type: 'input_audio_buffer.cleared' });
    }
  }

  return {
    begin: () => describeSession('created'),
    /**
     * Takes one event of the client, in slices between which others may run; a fault is answered by an event `error`, and the
     * session goes on.
     */
    *receive(message: unknown): Generator<void> {
      try {
        yield* obey(parseBody(liveClientEventSchema, message, 'The message'));
        hold();
      } catch (error) {
        refuse(InferenceError.from(error), eventIdOf(message));
      } finally {
        call.pace(hearing.count);
      }
    },
    refuse,
    /** Resolves when everything that was received has been answered. */
    async settled(): Promise<void> {
      await hearing.settled();
    },
  };
}

function toItem(id: string) {
  return {
    id,
    object: 'realtime.item' as const,
    type: 'message' as const,
    status: 'completed' as const,
    role: 'user' as const,
    content: [{ type: 'input_audio' as const, transcript: null }],
  };
}
