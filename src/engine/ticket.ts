import type { CallOptions, RunEvent, RunOrigin } from '../contracts/run.ts';
import { InferenceError } from '../errors.ts';
import type { EventStream } from '../concurrency/event-stream.ts';
import type { CancelHandle, Replica, RequestListener } from './replica.ts';
import type { RunWatch } from './run-watch.ts';

export interface TicketOptions extends CallOptions {
  /** The model's time limit; progress resets it. */
  readonly limitMs: number;
  readonly isProgress: ((event: RunEvent) => boolean) | undefined;
  /** Cost of the request, for sharing between owners. */
  readonly cost: number | undefined;
  /** The caller has its error, or has left: the request needn't continue. */
  onAbandon(ticket: Ticket): void;
}

/** A request for a replica, and its watch. */
export interface Job {
  readonly request: unknown;
  readonly category: string;
  readonly watch: RunWatch | undefined;
}

/** One request, from its admission until its caller has the last event or an error. */
export type Ticket = ReturnType<typeof createTicket>;

export function createTicket(job: Job, stream: EventStream<RunEvent>, options: TicketOptions) {
  const { watch } = job;
  const { signal, isProgress, limitMs, deadlineMs, onAbandon } = options;
  const failAfter = (ms: number, missing: string): NodeJS.Timeout =>
    setTimeout(() => ticket.fail(deadlineExceeded(ms, missing)), ms);
  const limit = failAfter(limitMs, isProgress ? 'made no progress' : 'was not finished');
  const deadline = deadlineMs === undefined ? undefined : failAfter(deadlineMs, 'was not finished');
  let isSettled = false;
  let dispatches = 0;
  const onAbort = (): void => ticket.fail(cancelled(signal?.reason));
  signal?.addEventListener('abort', onAbort);
  const settle = (): boolean => {
    if (isSettled) return false;
    isSettled = true;
    clearTimeout(deadline);
    clearTimeout(limit);
    signal?.removeEventListener('abort', onAbort);
    return true;
  };
  const ticket = {
    ...job,
    owner: options.owner,
    cost: options.cost,
    /** Set while a replica works on it. */
    run: undefined as CancelHandle | undefined,
    /** Starts its run on a replica. */
    dispatch(replica: Replica, listener: RequestListener): void {
      const { origin, owner, sharesPrefixes, mayRestart } = options;
      const headers = origin ? runHeaders(origin) : {};
      watch?.propagate(headers);
      const labels = { requestId: origin?.requestId, headers, owner, sharesPrefixes, mayRestart };
      ticket.run = replica.start(job.request, listener, labels);
      if (++dispatches > 1) return;
      // Not earlier: an observer may cancel the run.
      watch?.dispatch();
      options.onDispatch?.();
    },
    /** Whether a worker was lost before it began this request, so that it may be retried: once. */
    get mayBeginAgain(): boolean {
      return !isSettled && dispatches === 1;
    },
    push(events: readonly RunEvent[]): void {
      if (!isSettled && isProgress && events.some(isProgress)) limit.refresh();
      watch?.push(events);
      stream.push(events);
    },
    end(error: InferenceError | undefined): void {
      if (!settle()) return;
      watch?.end(error);
      stream.end(error);
    },
    /** Rejects the caller immediately and abandons the request. */
    fail(error: InferenceError): void {
      if (!settle()) return;
      watch?.end(error);
      stream.fail(error);
      onAbandon(ticket);
    },
    /** The caller has left without reading these events. */
    leave(unread: readonly RunEvent[]): void {
      if (!settle()) return;
      watch?.leave(unread);
      onAbandon(ticket);
    },
  };
  return ticket;
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
 * Headers that identify the request on a different machine. No other client header is forwarded, and malformed values
 * are dropped.
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
