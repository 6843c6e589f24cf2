import { InferenceError } from '../errors.ts';
import type { EventStream } from '../concurrency/event-stream.ts';
import type { AnyEvent, AnyRequest } from './protocol.ts';
import type { Run } from './replica.ts';
import { left, type RunWatch } from './run-watch.ts';

export interface TicketOptions {
  readonly signal: AbortSignal | undefined;
  readonly deadlineMs: number;
  /** Where somebody wants to know. */
  readonly watch: RunWatch | undefined;
  readonly requestId: string | undefined;
  /** The caller has its error, or has left: the request need not be run any further. */
  onAbandon(ticket: Ticket): void;
}

/** One admitted request, from its admission until its caller has the last event or an error. */
export class Ticket {
  readonly request: AnyRequest;
  /** Set while a replica works on it. */
  run: Run | undefined;
  readonly watch: RunWatch | undefined;
  readonly requestId: string | undefined;
  readonly #stream: EventStream<AnyEvent>;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbandon: (ticket: Ticket) => void;
  readonly #deadlineTimer: NodeJS.Timeout;
  #settled = false;

  constructor(request: AnyRequest, stream: EventStream<AnyEvent>, options: TicketOptions) {
    this.request = request;
    this.watch = options.watch;
    this.requestId = options.requestId;
    this.#stream = stream;
    this.#signal = options.signal;
    this.#onAbandon = options.onAbandon;
    this.#signal?.addEventListener('abort', this.#onAbort);
    this.#deadlineTimer = setTimeout(
      () => this.fail(deadlineExceeded(options.deadlineMs)),
      options.deadlineMs,
    );
  }

  push(events: readonly AnyEvent[]): void {
    this.watch?.push(events);
    this.#stream.push(events);
  }

  /** The run is over; the caller still gets what is buffered. */
  end(error: InferenceError | undefined): void {
    if (!this.#settle()) return;
    this.watch?.end(error);
    this.#stream.end(error);
  }

  /** Gives the caller its error at once and abandons the request. */
  fail(error: InferenceError): void {
    if (!this.#settle()) return;
    this.watch?.end(error);
    this.#stream.fail(error);
    this.#onAbandon(this);
  }

  /** The caller has left. */
  leave(): void {
    if (!this.#settle()) return;
    this.watch?.end(left());
    this.#onAbandon(this);
  }

  readonly #onAbort = (): void => {
    this.fail(cancelled(this.#signal?.reason));
  };

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    clearTimeout(this.#deadlineTimer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }
}

export function cancelled(reason: unknown): InferenceError {
  return new InferenceError('cancelled', 'The request was cancelled.', { cause: reason });
}

function deadlineExceeded(deadlineMs: number): InferenceError {
  return new InferenceError('deadline_exceeded', `The request was not finished within ${deadlineMs} ms.`);
}
