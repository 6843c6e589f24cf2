import type { SocketCall } from '../../contracts/endpoint.ts';
import { createId } from '../../http/headers.ts';
import { assertHearable } from '../assert-offered.ts';
import { appendAudio, emptyCommitCode, tooShortError } from '../append-audio.ts';
import { Hearing } from '../hearing.ts';
import {
  defaultConfiguration,
  toSession,
  updateConfiguration,
  type Configuration,
  type ConfigurationUpdate,
} from '../listening.ts';
import { transcribed } from '../protocol.ts';
import { RealtimeSession, type SessionCall } from '../session.ts';
import { SpeechInput, type SpeechChange, type SpokenAudio } from '../speech-input.ts';
import { liveClientEventSchema, type LiveClientEvent, type LiveServerEvent } from './schema.ts';

/** The parts of a socket's call that a session also has without a socket. */
export type LiveCall = SessionCall & Pick<SocketCall<unknown, unknown>, 'signal'>;

type Draft = LiveServerEvent extends infer Event
  ? Event extends LiveServerEvent
    ? Omit<Event, 'event_id'>
    : never
  : never;

/** A live transcription. */
export class TranscriptionSession extends RealtimeSession<LiveClientEvent, Draft> {
  readonly #model: string;
  readonly #call: LiveCall;
  readonly #input: SpeechInput;
  readonly #hearing: Hearing;
  #configuration: Configuration;
  /** Id of the utterance in progress. */
  #spokenId: string | undefined;
  #lastItemId: string | null = null;

  /** @param model the model until the client names a different one */
  constructor(model: string, call: LiveCall) {
    super(call, liveClientEventSchema);
    this.#model = model;
    this.#call = call;
    this.#configuration = defaultConfiguration(model);
    this.#input = new SpeechInput(this.#configuration);
    this.#hearing = new Hearing({
      run: (request, options) => call.run(request, options),
      isEager: true,
      signal: call.signal,
      onEnd: () => this.account(),
    });
  }

  begin(): void {
    this.#describe('created');
  }

  settled(): Promise<unknown> {
    return this.#hearing.settled();
  }

  protected get runs(): number {
    return this.#hearing.count;
  }

  protected hold(audioBytes = this.#input.length()): void {
    this.#call.hold(audioBytes + this.#hearing.bytes);
  }

  protected *obey(event: LiveClientEvent): Generator<void> {
    switch (event.type) {
      case 'input_audio_buffer.append':
        yield* appendAudio(event.audio, {
          input: this.#input,
          maxBufferBytes: this.#call.maxBufferBytes,
          hold: (bytes) => this.hold(bytes),
          onChange: (change) => this.#notice(change),
        });
        this.#hearing.follow(this.#input, this.#configuration);
        return;
      case 'session.update':
        this.#configure(event.session.audio?.input ?? {});
        return this.#describe('updated');
      case 'input_audio_buffer.commit': {
        const error = tooShortError(this.#input);
        return error
          ? this.refuse(error, event.event_id, emptyCommitCode)
          : this.#complete(this.#input.cutSpeech());
      }
      case 'input_audio_buffer.clear':
        this.#input.clear();
        this.#hearing.follow(this.#input, this.#configuration);
        this.#spokenId = undefined;
        return this.emit({ type: 'input_audio_buffer.cleared' });
    }
  }

  #describe(what: 'created' | 'updated'): void {
    const head = { object: 'realtime.transcription_session' as const, id: this.id };
    this.emit({ type: `session.${what}`, session: { ...head, ...toSession(this.#configuration) } });
  }

  #configure(update: ConfigurationUpdate): void {
    const after = updateConfiguration(this.#configuration, update, defaultConfiguration(this.#model));
    if (update.transcription) assertHearable(after, this.#call.findModel(after.model));
    if (this.#input.configure(after, 'session.audio.input.format')) this.#spokenId = undefined;
    this.#configuration = after;
  }

  #notice(change: SpeechChange): void {
    if (change.type === 'start') {
      this.#spokenId = createId('item_');
      const { startMs: audio_start_ms } = change;
      return this.emit({
        type: 'input_audio_buffer.speech_started',
        item_id: this.#spokenId,
        audio_start_ms,
      });
    }
    const { endMs: audio_end_ms } = change.audio;
    this.emit({ type: 'input_audio_buffer.speech_stopped', item_id: this.#spokenId!, audio_end_ms });
    this.#complete(change.audio);
  }

  #complete(audio: SpokenAudio): void {
    const item_id = this.#spokenId ?? createId('item_');
    const previous_item_id = this.#lastItemId;
    this.#lastItemId = item_id;
    this.#spokenId = undefined;
    void this.#writeDown(item_id, audio);
    this.emit({ type: 'input_audio_buffer.committed', item_id, previous_item_id });
    const item = toItem(item_id);
    this.emit({ type: 'conversation.item.added', item, previous_item_id });
    this.emit({ type: 'conversation.item.done', item, previous_item_id });
  }

  async #writeDown(item_id: string, audio: SpokenAudio): Promise<void> {
    const place = { item_id, content_index: 0 as const };
    const onText = (delta: string): void => this.emit({ type: `${transcribed}.delta`, ...place, delta });
    const heard = await this.#hearing.transcribe(audio, this.#configuration, onText);
    const { text: transcript, usage, error } = heard;
    if (this.#call.signal.aborted) return;
    if (error) this.emit({ type: `${transcribed}.failed`, ...place, error: this.#call.fail(error) });
    else this.emit({ type: `${transcribed}.completed`, ...place, transcript, usage: usage! });
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
