import type { z } from 'zod';
import type { SocketCall, SocketSession } from '../contracts/endpoint.ts';
import type { AnyRequest } from '../contracts/engine.ts';
import type { RunEvent } from '../contracts/run.ts';
import { InferenceError } from '../errors.ts';
import { createId } from '../http/headers.ts';
import { parseBody } from '../validation/issues.ts';
import { eventIdOf, inTurns } from './append-audio.ts';

/** The parts of a socket's call that a session also has without a socket. */
export type SessionCall = Pick<
  SocketCall<AnyRequest, RunEvent>,
  'maxBufferBytes' | 'findModel' | 'send' | 'hold' | 'pace' | 'run' | 'fail'
>;

/** A session without a socket: it receives the client's events and emits the server's. */
export abstract class RealtimeSession<Event, Draft extends { readonly type: string }> {
  protected readonly id = createId('sess_');
  readonly #call: SessionCall;
  readonly #schema: z.ZodType<Event>;

  protected constructor(call: SessionCall, schema: z.ZodType<Event>) {
    this.#call = call;
    this.#schema = schema;
  }

  /** Emits the event that the session has begun. */
  abstract begin(): void;
  /** Resolves when everything that was received has been answered. */
  abstract settled(): Promise<unknown>;
  protected abstract obey(event: Event): Generator<void> | void;
  /** @throws InferenceError if more is held than may be */
  protected abstract hold(): void;
  /** Number of runs that wait or run. */
  protected abstract get runs(): number;

  /**
   * Handles one event of the client, in slices between which other work may run. A fault emits an event `error`, and the
   * session continues.
   */
  *receive(message: unknown): Generator<void> {
    try {
      yield* this.obey(parseBody(this.#schema, this.prepare(message), 'The message')) ?? [];
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
    this.emit({ type: 'error', error: told } as never);
  }

  protected prepare(message: unknown): unknown {
    return message;
  }

  protected emit(draft: Draft): void {
    this.#call.send({ ...draft, event_id: createId('event_') });
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
}

/** The session as a socket serves it. */
export function toSocketSession(
  session: Pick<RealtimeSession<unknown, never>, 'begin' | 'receive' | 'refuse' | 'settled'>,
  call: Parameters<typeof inTurns>[1],
): SocketSession {
  return {
    begin: () => session.begin(),
    receive: (message) => inTurns(session.receive(message), call),
    refuse: (error) => session.refuse(error),
    async settled() {
      await session.settled();
    },
  };
}
