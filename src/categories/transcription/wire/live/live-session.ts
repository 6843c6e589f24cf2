import type { ErrorBody } from '../../../../contracts/endpoint.ts';
import { InferenceError } from '../../../../errors.ts';
import { parseBody } from '../../../../validation/issues.ts';
import type { TranscriptionEvent } from '../../events.ts';
import type { TranscriptionRequestInput } from '../../request.ts';
import { createTranscriptionStreamer } from '../to-events.ts';
import { appendAudio, emptyCommitCode, tooShortError } from './append-audio.ts';
import {
  defaultConfiguration,
  readOlderSession,
  readSession,
  toOlderSession,
  toSession,
  updateConfiguration,
  type ConfigurationUpdate,
} from './configuration.ts';
import { liveClientEventSchema, transcribed, type LiveClientEvent, type LiveServerEvent } from './schema.ts';
import { createSpeechInput, type SpeechChange, type SpokenAudio } from './speech-input.ts';

export interface LiveSessionOptions {
  /** The model until the client names another. */
  readonly model: string;
  /** Whether events have the names and sessions the form of the API's beta. */
  readonly isOlder?: boolean | undefined;
  /** Most bytes of audio that wait for the end of their utterance. */
  readonly maxBufferBytes: number;
  readonly createId: (prefix: string) => string;
  /** @throws InferenceError for a model that the client can't have */
  readonly assertModel: (id: string) => void;
  /** Told how many bytes of audio are held, more or less than before. */
  readonly hold: (bytes: number) => void;
  readonly describe: (error: InferenceError) => ErrorBody['error'];
  readonly emit: (event: LiveServerEvent) => void;
}

/** Audio that is complete, and ready for the model. */
export interface Utterance {
  readonly itemId: string;
  readonly request: TranscriptionRequestInput;
  /** Of its audio. */
  readonly bytes: number;
}

type Draft = LiveServerEvent extends infer Event
  ? Event extends LiveServerEvent
    ? Omit<Event, 'event_id'>
    : never
  : never;

/**
 * The state of a live transcription, without a socket and without a clock: the client's events go in, those of the server and
 * complete utterances come out.
 */
export function createLiveSession(options: LiveSessionOptions) {
  const { isOlder = false, createId, hold, describe } = options;
  const head = { object: 'realtime.transcription_session' as const, id: createId('sess_') };
  let configuration = defaultConfiguration(options.model);
  const input = createSpeechInput(configuration);
  /** Id of the utterance that somebody is speaking. */
  let spokenId: string | undefined;
  let lastItemId: string | null = null;
  const waiting: Utterance[] = [];
  /** Bytes of complete utterances, until they have ended. */
  let utteranceBytes = 0;

  const emit = (draft: Draft): void =>
    options.emit({ ...draft, event_id: createId('event_') } as LiveServerEvent);
  const holdAll = (): void => hold(input.length() + utteranceBytes);
  const describeSession = (what: 'created' | 'updated', older: boolean): void => {
    const name = older ? 'transcription_session' : 'session';
    const form = (older ? toOlderSession : toSession)(configuration);
    emit({ type: `${name}.${what}`, session: { ...head, ...form } });
  };
  const configure = (update: ConfigurationUpdate, formatField: string): void => {
    const after = updateConfiguration(configuration, update, options.model);
    if (after.model !== configuration.model) options.assertModel(after.model);
    if (input.configure(after, formatField)) spokenId = undefined;
    configuration = after;
  };
  const complete = ({ file: audio, bytes }: SpokenAudio): void => {
    const { model, language, prompt } = configuration;
    const itemId = spokenId ?? createId('item_');
    waiting.push({ itemId, request: { model, audio, language, prompt }, bytes });
    utteranceBytes += bytes;
    const previous_item_id = lastItemId;
    lastItemId = itemId;
    spokenId = undefined;
    emit({ type: 'input_audio_buffer.committed', item_id: itemId, previous_item_id });
    const item = toItem(itemId);
    if (isOlder) return emit({ type: 'conversation.item.created', item, previous_item_id });
    emit({ type: 'conversation.item.added', item, previous_item_id });
    emit({ type: 'conversation.item.done', item, previous_item_id });
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
    emit({ type: 'error', error: { ...describe(error), ...(code && { code }), event_id } });

  function* obey(event: LiveClientEvent): Generator<void> {
    switch (event.type) {
      case 'input_audio_buffer.append': {
        const { maxBufferBytes } = options;
        const holdMore = (bytes: number): void => hold(bytes + utteranceBytes);
        return yield* appendAudio(event.audio, { input, maxBufferBytes, hold: holdMore, onChange });
      }
      case 'session.update':
        configure(readSession(event.session), 'session.audio.input.format');
        return describeSession('updated', false);
      case 'transcription_session.update':
        configure(readOlderSession(event.session), 'session.input_audio_format');
        return describeSession('updated', true);
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
    begin: () => describeSession('created', isOlder),
    /**
     * Takes one event of the client, in slices between which others may run; a fault is answered by an event `error`, and the
     * session goes on.
     */
    *take(message: unknown): Generator<void> {
      try {
        yield* obey(parseBody(liveClientEventSchema, message, 'The message'));
        holdAll();
      } catch (error) {
        const { event_id: id } = (message ?? {}) as { readonly event_id?: unknown };
        refuse(InferenceError.from(error), typeof id === 'string' ? id.slice(0, 512) : null);
      }
    },
    refuse,
    /** Number of utterances that nobody has taken. */
    get waiting(): number {
      return waiting.length;
    },
    /** The next complete utterance, in the order in which they were spoken. */
    takeUtterance: (): Utterance | undefined => waiting.shift(),
    /** An utterance that was taken has ended: its audio is held no longer. */
    release({ bytes }: Utterance): void {
      utteranceBytes -= bytes;
      holdAll();
    },
    /** Makes the function that tells the client what happens to an utterance. */
    streamer({ itemId: item_id }: Utterance): (event: TranscriptionEvent) => void {
      const toEvents = createTranscriptionStreamer();
      return (event) => {
        for (const made of toEvents(event)) {
          if (made.type === 'transcript.text.delta')
            emit({ type: `${transcribed}.delta`, item_id, content_index: 0, delta: made.delta });
          else if (made.type === 'transcript.text.done') {
            const { text: transcript, usage } = made;
            emit({ type: `${transcribed}.completed`, item_id, content_index: 0, transcript, usage });
          }
        }
      };
    },
    fail({ itemId: item_id }: Utterance, error: InferenceError): void {
      emit({ type: `${transcribed}.failed`, item_id, content_index: 0, error: describe(error) });
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
