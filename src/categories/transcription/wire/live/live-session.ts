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
  type Configuration,
  type ConfigurationUpdate,
} from './configuration.ts';
import { liveClientEventSchema, type LiveClientEvent, type LiveServerEvent } from './schema.ts';
import { SpeechInput, type SpeechChange, type SpokenAudio } from './speech-input.ts';

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

const transcribed = 'conversation.item.input_audio_transcription';

/**
 * The state of a live transcription, without a socket and without a clock: the client's events go in, those of the server and
 * complete utterances come out.
 */
export class LiveSession {
  readonly #options: LiveSessionOptions;
  readonly #head: { readonly object: 'realtime.transcription_session'; readonly id: string };
  readonly #input: SpeechInput;
  #configuration: Configuration;
  /** Id of the utterance that somebody is speaking. */
  #itemId: string | undefined;
  #lastItemId: string | null = null;
  readonly #waiting: Utterance[] = [];
  /** Bytes of complete utterances, until they have ended. */
  #utteranceBytes = 0;

  constructor(options: LiveSessionOptions) {
    this.#options = options;
    this.#head = { object: 'realtime.transcription_session', id: options.createId('sess_') };
    this.#configuration = defaultConfiguration(options.model);
    this.#input = new SpeechInput(this.#configuration);
  }

  begin(): void {
    this.#describeSession('created', this.#options.isOlder);
  }

  /**
   * Takes one event of the client, in slices between which others may run; a fault is answered by an event `error`, and the
   * session goes on.
   */
  *take(message: unknown): Generator<void> {
    try {
      yield* this.#take(parseBody(liveClientEventSchema, message, 'The message'));
    } catch (error) {
      const { event_id: id } = (message ?? {}) as { readonly event_id?: unknown };
      this.refuse(InferenceError.from(error), typeof id === 'string' ? id.slice(0, 512) : null);
    }
  }

  /** Answers what is no event at all, or one that can't be obeyed. */
  refuse(error: InferenceError, event_id: string | null = null, code?: string): void {
    const described = { ...this.#options.describe(error), ...(code && { code }) };
    this.#emit({ type: 'error', error: { ...described, event_id } });
  }

  /** Number of utterances that nobody has taken. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** The next complete utterance, in the order in which they were spoken. */
  takeUtterance(): Utterance | undefined {
    return this.#waiting.shift();
  }

  /** An utterance that was taken has ended: its audio is held no longer. */
  release({ bytes }: Utterance): void {
    this.#utteranceBytes -= bytes;
    this.#hold();
  }

  /** Makes the function that tells the client what happens to an utterance. */
  streamer({ itemId: item_id }: Utterance): (event: TranscriptionEvent) => void {
    const toEvents = createTranscriptionStreamer();
    return (event) => {
      for (const made of toEvents(event)) {
        if (made.type === 'transcript.text.delta')
          this.#emit({ type: `${transcribed}.delta`, item_id, content_index: 0, delta: made.delta });
        else if (made.type === 'transcript.text.done') {
          const { text: transcript, usage } = made;
          this.#emit({ type: `${transcribed}.completed`, item_id, content_index: 0, transcript, usage });
        }
      }
    };
  }

  fail({ itemId: item_id }: Utterance, error: InferenceError): void {
    const described = this.#options.describe(error);
    this.#emit({ type: `${transcribed}.failed`, item_id, content_index: 0, error: described });
  }

  *#take(event: LiveClientEvent): Generator<void> {
    if (event.type === 'input_audio_buffer.append')
      yield* appendAudio(event.audio, {
        input: this.#input,
        maxBufferBytes: this.#options.maxBufferBytes,
        hold: (bytes) => this.#options.hold(bytes + this.#utteranceBytes),
        onChange: (change) => this.#change(change),
      });
    else this.#obey(event);
    this.#hold();
  }

  #hold(): void {
    this.#options.hold(this.#input.length + this.#utteranceBytes);
  }

  #obey(event: Exclude<LiveClientEvent, { type: 'input_audio_buffer.append' }>): void {
    switch (event.type) {
      case 'session.update':
        this.#configure(readSession(event.session), 'session.audio.input.format');
        return this.#describeSession('updated', false);
      case 'transcription_session.update':
        this.#configure(readOlderSession(event.session), 'session.input_audio_format');
        return this.#describeSession('updated', true);
      case 'input_audio_buffer.commit':
        return this.#commit(event.event_id);
      case 'input_audio_buffer.clear':
        this.#input.clear();
        this.#itemId = undefined;
        return this.#emit({ type: 'input_audio_buffer.cleared' });
    }
  }

  #configure(update: ConfigurationUpdate, formatField: string): void {
    const after = updateConfiguration(this.#configuration, update, this.#options.model);
    if (after.model !== this.#configuration.model) this.#options.assertModel(after.model);
    if (this.#input.configure(after, formatField)) this.#itemId = undefined;
    this.#configuration = after;
  }

  #change(change: SpeechChange): void {
    if (change.type === 'start') {
      this.#itemId = this.#options.createId('item_');
      const { startMs: audio_start_ms } = change;
      this.#emit({ type: 'input_audio_buffer.speech_started', item_id: this.#itemId, audio_start_ms });
      return;
    }
    const { endMs: audio_end_ms } = change.audio;
    this.#emit({ type: 'input_audio_buffer.speech_stopped', item_id: this.#itemId!, audio_end_ms });
    this.#complete(change.audio);
  }

  #commit(eventId: string | undefined): void {
    const error = tooShortError(this.#input);
    if (error) this.refuse(error, eventId, emptyCommitCode);
    else this.#complete(this.#input.cutSpeech());
  }

  #complete({ file: audio, bytes }: SpokenAudio): void {
    const { isOlder = false, createId } = this.#options;
    const { model, language, prompt } = this.#configuration;
    const itemId = this.#itemId ?? createId('item_');
    this.#waiting.push({ itemId, request: { model, audio, language, prompt }, bytes });
    this.#utteranceBytes += bytes;
    const previous_item_id = this.#lastItemId;
    this.#lastItemId = itemId;
    this.#itemId = undefined;
    this.#emit({ type: 'input_audio_buffer.committed', item_id: itemId, previous_item_id });
    const item = toItem(itemId);
    if (isOlder) return this.#emit({ type: 'conversation.item.created', item, previous_item_id });
    this.#emit({ type: 'conversation.item.added', item, previous_item_id });
    this.#emit({ type: 'conversation.item.done', item, previous_item_id });
  }

  #describeSession(what: 'created' | 'updated', isOlder = false): void {
    const name = isOlder ? 'transcription_session' : 'session';
    const form = (isOlder ? toOlderSession : toSession)(this.#configuration);
    this.#emit({ type: `${name}.${what}`, session: { ...this.#head, ...form } });
  }

  #emit(draft: Draft): void {
    this.#options.emit({ ...draft, event_id: this.#options.createId('event_') } as LiveServerEvent);
  }
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
