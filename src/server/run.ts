import type { CallOptions, RunTally } from '../categories/contract.ts';
import { InferenceError } from '../errors.ts';
import type { Call } from './call.ts';
import { deadlineMsOf } from './headers.ts';

/** A run of a model that is to be paid for. */
export interface Run<Event> {
  /** Tokens that it may use, about; called only for callers with a plan. */
  readonly estimate: () => number;
  readonly start: (options: CallOptions) => AsyncIterable<Event>;
  readonly tally: (event: Event, tally: RunTally) => void;
  readonly isOutput: (event: Event) => boolean;
}

/** A run event by event. */
export interface OpenRun<Event> {
  /** Returning it ends the run at once, also while an event is awaited. */
  readonly events: AsyncIterator<Event>;
  /** Puts an event's output on the bill: the client has been sent it. */
  readonly bill: (event: Event) => void;
  /** The events, each billed when it is read. */
  billed(): AsyncIterator<Event>;
}

/**
 * Runs to the end and gives all events. Spends one request of the caller's quota, reserves tokens and charges those used; a run that
 * fails costs nothing, one that its client leaves costs its prompt and what was made.
 *
 * @throws InferenceError `quota_exceeded`, or what the run throws
 */
export async function collectRun<Event>(call: Call, run: Run<Event>): Promise<Event[]> {
  const { signal } = call.request;
  const bill = await openBill(call, run);
  const events: Event[] = [];
  try {
    for await (const event of run.start(callOptions(call, signal))) {
      bill.read(event);
      bill.take(event);
      events.push(event);
    }
  } catch (error) {
    await bill.settle(signal.aborted ? 'left' : 'failed');
    throw error;
  }
  await bill.settle('done');
  return events;
}

/**
 * `collectRun`, event by event.
 *
 * @throws InferenceError `quota_exceeded`
 */
export async function openRun<Event>(call: Call, run: Run<Event>): Promise<OpenRun<Event>> {
  const client = call.request.signal;
  const bill = await openBill(call, run);
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  if (client.aborted) abort();
  else client.addEventListener('abort', abort, { once: true });
  const settle = (outcome: Outcome): Promise<void> => {
    client.removeEventListener('abort', abort);
    return bill.settle(outcome);
  };
  let iterator: AsyncIterator<Event> | undefined;
  const events: AsyncIterator<Event> = {
    async next() {
      try {
        iterator ??= run.start(callOptions(call, controller.signal))[Symbol.asyncIterator]();
        const result = await iterator.next();
        if (result.done === true) await settle('done');
        else bill.read(result.value);
        return result;
      } catch (error) {
        await settle(controller.signal.aborted ? 'left' : 'failed');
        throw error;
      }
    },
    async return() {
      abort();
      await settle('left');
      // Not awaited: a generator that is busy returns only after its next event.
      void iterator?.return?.().catch(() => {});
      return { done: true, value: undefined };
    },
  };
  return {
    events,
    bill: (event) => bill.take(event),
    billed: () => ({
      ...events,
      async next() {
        const result = await events.next();
        if (result.done !== true) bill.take(result.value);
        return result;
      },
    }),
  };
}

function callOptions({ request, origin }: Call, signal: AbortSignal): CallOptions {
  return { signal, deadlineMs: deadlineMsOf(request), origin };
}

type Outcome = 'done' | 'left' | 'failed';

interface Bill<Event> {
  /** The event is there; the client need not have seen it. */
  read(event: Event): void;
  /** The client is sent it. */
  take(event: Event): void;
  /** Counts once. */
  settle(outcome: Outcome): Promise<void>;
}

async function openBill<Event>(call: Call, { tally, isOutput, estimate }: Run<Event>): Promise<Bill<Event>> {
  const spending = await call.meter.spend(estimate);
  // A complete run costs all of it, one that its client leaves only the output that was sent.
  const read: RunTally = { usage: {}, finishReasons: [] };
  const taken: RunTally = { usage: {}, finishReasons: [] };
  let settled = false;
  return {
    read(event) {
      tally(event, read);
      if (!isOutput(event)) tally(event, taken);
    },
    take(event) {
      if (isOutput(event)) tally(event, taken);
    },
    async settle(outcome) {
      if (settled) return;
      settled = true;
      const { inputTokens = 0, outputTokens = 0 } = (outcome === 'done' ? read : taken).usage;
      try {
        await (outcome === 'failed' ? spending.refund() : spending.settle(inputTokens + outputTokens));
      } catch (error) {
        // The answer is there; a store that can't be reached now must not spoil it.
        call.report(InferenceError.from(error));
      }
    },
  };
}
