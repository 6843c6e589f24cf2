import type { CallOptions, RunEvent, RunOrigin } from '../contracts/run.ts';
import { InferenceError } from '../errors.ts';
import type { EventStream } from '../concurrency/event-stream.ts';
import type { CancelHandle, RequestLabels } from './replica.ts';
import type { RunWatch } from './run-watch.ts';

export interface TicketOptions extends CallOptions {
  /** Time that the model allows; progress renews it. */
  readonly limitMs: number;
  readonly isProgress: ((event: RunEvent) => boolean) | undefined;
  /** Work that it takes, as owners take turns by it. */
  readonly cost: number | undefined;
  /** The caller has its error, or has left: the request need not be run any further. */
  onAbandon(ticket: Ticket): void;
}

/** One admitted request, from its admission until its caller has the last event or an error. */
export class Ticket {
  readonly request: unknown;
  readonly category: string;
  readonly watch: RunWatch | undefined;
  readonly owner: string | undefined;
  readonly cost: number | undefined;
  /** Set while a replica works on it. */
  run: CancelHandle | undefined;
  readonly #stream: EventStream<RunEvent>;
  readonly #options: TicketOptions;
  readonly #deadline: NodeJS.Timeout | undefined;
  readonly #limit: NodeJS.Timeout;
  #settled = false;
  #dispatches = 0;

  constructor(
    { request, category, watch }: Pick<Ticket, 'request' | 'category' | 'watch'>,
    stream: EventStream<RunEvent>,
    options: TicketOptions,
  ) {
    this.request = request;
    this.category = category;
    this.watch = watch;
    this.owner = options.owner;
    this.cost = options.cost;
    this.#stream = stream;
    this.#options = options;
    options.signal?.addEventListener('abort', this.#onAbort);
    const failAfter = (ms: number, missing: string): NodeJS.Timeout =>
      setTimeout(() => this.fail(deadlineExceeded(ms, missing)), ms);
    this.#limit = failAfter(options.limitMs, options.isProgress ? 'made no progress' : 'was not finished');
    if (options.deadlineMs !== undefined) this.#deadline = failAfter(options.deadlineMs, 'was not finished');
  }

  get labels(): RequestLabels {
    const { origin, owner, sharesPrefixes, mayRestart } = this.#options;
    const headers = origin ? runHeaders(origin) : {};
    this.watch?.propagate(headers);
    return { requestId: origin?.requestId, headers, owner, sharesPrefixes, mayRestart };
  }

  dispatch(run: CancelHandle): void {
    this.run = run;
    if (++this.#dispatches > 1) return;
    // Not before: an observer may cancel the run.
    this.watch?.dispatch();
    this.#options.onDispatch?.();
  }

  /** Whether a worker was lost before it began with this, and another one may be asked: once. */
  get mayBeginAgain(): boolean {
    return !this.#settled && this.#dispatches === 1;
  }

  push(events: readonly RunEvent[]): void {
    const { isProgress } = this.#options;
    if (!this.#settled && isProgress && events.some(isProgress)) this.#limit.refresh();
    this.watch?.push(events);
    this.#stream.push(events);
  }

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
    this.#options.onAbandon(this);
  }

  /** The caller has left without reading these events. */
  leave(unread: readonly RunEvent[]): void {
    if (!this.#settle()) return;
    this.watch?.leave(unread);
    this.#options.onAbandon(this);
  }

  readonly #onAbort = (): void => {
    this.fail(cancelled(this.#options.signal?.reason));
  };

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    clearTimeout(this.#deadline);
    clearTimeout(this.#limit);
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }
}

export function cancelled(reason: unknown): InferenceError {
  return new InferenceError('cancelled', 'The request was cancelled.', { cause: reason });
}

function deadlineExceeded(deadlineMs: number, missing: string): InferenceError {
  return new InferenceError('deadline_exceeded', `The request ${missing} within ${deadlineMs} ms.`);
}

const printable = /^[\x21-\x7e]{1,200}$/;
const traceparent = /^[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;
const tracestate = /^[\x20-\x7e]{1,512}$/;

/**
 * Headers that identify the request for another machine. Of what a client sent nothing else is passed on, and nothing
 * malformed.
 * @see https://www.w3.org/TR/trace-context/
 */
function runHeaders({ requestId, carrier = {} }: RunOrigin): Record<string, string> {
  const headers: Record<string, string> = {};
  if (printable.test(requestId)) headers['x-request-id'] = requestId;
  const parent = carrier['traceparent'];
  if (typeof parent !== 'string' || !traceparent.test(parent)) return headers;
  headers['traceparent'] = parent;
  const given = carrier['tracestate'] ?? [];
  const state = typeof given === 'string' ? given : given.join(',');
  if (tracestate.test(state)) headers['tracestate'] = state;
  return headers;
}
