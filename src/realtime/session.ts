import type { z } from 'zod';
import type { SocketCall } from '../contracts/endpoint.ts';
import type { AnyRequest } from '../contracts/engine.ts';
import type { RunEvent } from '../contracts/run.ts';
import { InferenceError } from '../errors.ts';
import { createId } from '../http/headers.ts';
import { parseBody } from '../validation/issues.ts';
import { Hearing, type GrowingText, type Heard, type JoinedHeard, type Pause } from './hearing.ts';
import type { Configuration } from './listening.ts';
import { transcribed, type audioEvents, type heardEvents } from './protocol.ts';
import { Turns, type Turn } from './turns.ts';

export type Call = SocketCall<AnyRequest, RunEvent>;

/** The parts of a socket's call that a session also has without a socket. */
export type SessionCall = Pick<
  Call,
  'maxBufferBytes' | 'findModel' | 'send' | 'hold' | 'pace' | 'run' | 'fail'
> &
  Partial<Pick<Call, 'signal'>>;

/** An event of the server without its id. */
export type DraftOf<Event> = Event extends unknown ? Omit<Event, 'event_id'> : never;

type AudioEvent = z.infer<(typeof audioEvents)[number]>;
type CommonDraft =
  | DraftOf<z.infer<(typeof heardEvents)[number]>>
  | { readonly type: 'session.created' | 'session.updated'; readonly session: object };

interface SessionOptions<Event> {
  readonly schema: z.ZodType<Event | AudioEvent>;
  readonly begun: Configuration;
  /** Whether speech is transcribed at each pause. */
  readonly isEager: boolean;
}

/** A session without a socket: it receives the client's events and emits the server's. */
export abstract class RealtimeSession<Event extends { readonly type: string }, Draft> {
  protected readonly id = createId('sess_');
  protected readonly hearing: Hearing;
  protected readonly turns: Turns;
  protected readonly controller = new AbortController();
  readonly #call: SessionCall;
  readonly #schema: z.ZodType<Event | AudioEvent>;

  protected constructor(call: SessionCall, { schema, begun, isEager }: SessionOptions<Event>) {
    this.#call = call;
    this.#schema = schema;
    const { signal } = this.controller;
    this.hearing = new Hearing({
      run: (request, options) => call.run(request, { category: 'transcription', signal, ...options }),
      isEager,
      signal,
      onEnd: () => this.account(),
    });
    this.turns = new Turns(begun, {
      maxBufferBytes: call.maxBufferBytes,
      hold: (bytes) => this.hold(bytes),
      hearing: this.hearing,
      onStart: (itemId, startMs) => this.startTurn(itemId, startMs),
      onPause: (pause, parts) => void this.pauseTurn(pause, parts),
      onTurn: (turn) => void this.endTurn(turn),
    });
    call.signal?.addEventListener('abort', () => this.close(), { once: true });
  }

  /** Emits the event that the session has begun. */
  begin(): void {
    this.emit({ type: 'session.created', session: this.describe() });
  }

  /** Resolves when everything that was received has been answered. */
  async settled(): Promise<void> {
    await this.hearing.settled();
  }

  close(): void {
    this.controller.abort();
  }

  /**
   * Handles one event of the client, in slices between which other work may run. A fault emits an event `error`, and the
   * session continues.
   */
  *receive(message: unknown): Generator<void> {
    try {
      const event = parseBody(this.#schema, this.prepare(message), 'The message');
      if (isAboutAudio(event)) yield* this.#listen(event);
      else this.obey(event);
      this.hold();
    } catch (error) {
      this.refuse(InferenceError.from(error), eventIdOf(message));
    } finally {
      this.#call.pace(this.runs);
    }
  }

  /** Emits an error about an invalid event. */
  refuse(error: InferenceError, event_id: string | null = null, code?: string): void {
    const told = { ...this.#call.fail(error), ...(code && { code }), event_id };
    this.emit({ type: 'error', error: told });
  }

  protected abstract obey(event: Event): void;
  /** The session as its events report it. */
  protected abstract describe(): object;
  /** Emits what follows the event that a turn is committed. */
  protected abstract endTurn(turn: Turn): Promise<void> | void;

  protected pauseTurn(_pause: Pause, _parts: readonly Promise<Heard>[]): Promise<void> | void {}

  protected startTurn(item_id: string, audio_start_ms: number): void {
    this.emit({ type: 'input_audio_buffer.speech_started', item_id, audio_start_ms });
  }

  /** Number of runs that wait or run. */
  protected get runs(): number {
    return this.hearing.count;
  }

  /** @throws InferenceError if more is held than may be */
  protected hold(bytes = this.turns.length()): void {
    this.#call.hold(bytes + this.hearing.bytes);
  }

  protected prepare(message: unknown): unknown {
    return message;
  }

  protected emit(draft: Draft | CommonDraft): void {
    if (!this.controller.signal.aborted) this.#call.send({ ...draft, event_id: createId('event_') });
  }

  /** Reports the current runs and bytes, outside of a message. */
  protected account(): void {
    this.#call.pace(this.runs);
    try {
      this.hold();
    } catch (error) {
      this.refuse(InferenceError.from(error));
    }
  }

  protected tellCommitted(
    { itemId: item_id, endMs: audio_end_ms }: Turn,
    previous_item_id: string | null,
  ): void {
    if (audio_end_ms !== undefined)
      this.emit({ type: 'input_audio_buffer.speech_stopped', item_id, audio_end_ms });
    this.emit({ type: 'input_audio_buffer.committed', item_id, previous_item_id });
  }

  protected tellGrowth(item_id: string, text: GrowingText): void {
    text.read((delta) => this.emit({ type: `${transcribed}.delta`, item_id, content_index: 0, delta }));
  }

  /** @param isWanted whether the client is told of a success, too */
  protected tellHeard(item_id: string, { text, usage, error }: JoinedHeard, isWanted = true): void {
    const place = { item_id, content_index: 0 as const };
    if (this.controller.signal.aborted) return;
    if (error) this.emit({ type: `${transcribed}.failed`, ...place, error: this.#call.fail(error) });
    else if (isWanted) this.emit({ type: `${transcribed}.completed`, ...place, transcript: text, usage });
  }

  *#listen(event: AudioEvent): Generator<void> {
    if (event.type === 'input_audio_buffer.append') return yield* this.turns.append(event.audio);
    if (event.type === 'input_audio_buffer.commit') {
      const error = this.turns.commit();
      // Client libraries handle this code: it is common to commit while the server detects turns.
      return error && this.refuse(error, event.event_id, 'input_audio_buffer_commit_empty');
    }
    this.turns.clear();
    this.emit({ type: 'input_audio_buffer.cleared' });
  }
}

const isAboutAudio = (event: { readonly type: string }): event is AudioEvent =>
  event.type.startsWith('input_audio_buffer.');

/** The client's own name of a message, which comes back with an error. */
function eventIdOf(message: unknown): string | null {
  const { event_id: id } = (message ?? {}) as { readonly event_id?: unknown };
  return typeof id === 'string' ? id.slice(0, 512) : null;
}
