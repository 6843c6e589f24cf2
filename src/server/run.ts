import type { CallOptions } from '../engine/contract.ts';
import { InferenceError } from '../errors.ts';
import type { Call } from './call.ts';
import { deadlineMsOf } from './headers.ts';

/** What an endpoint asks of the inference. */
export interface Run<Event> {
  readonly start: (options: CallOptions) => AsyncIterable<Event>;
  /** The tokens used up, from those before an event and the event. */
  readonly count: (tokens: number, event: Event) => number;
}

/** What an endpoint asks of the inference where the answer is one result. */
export interface ResultRun<Result> {
  readonly start: (options: CallOptions) => Promise<Result>;
  /** The tokens used up. */
  readonly count: (result: Result) => number;
}

/**
 * Runs to the end and gives all events. Spends one request of the caller's quota and charges the tokens; a run that
 * fails costs nothing, one that its client leaves costs what was made.
 *
 * @throws InferenceError `quota_exceeded`, or what the run throws
 */
export async function collectRun<Event>(call: Call, run: Run<Event>): Promise<Event[]> {
  const { signal } = call.request;
  const bill = await openBill(call, run);
  const events: Event[] = [];
  try {
    for await (const event of run.start(callOptions(call, signal))) {
      bill.add(event);
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
 * As `collectRun`, for a run that has one result.
 *
 * @throws InferenceError `quota_exceeded`, or what the run throws
 */
export async function awaitRun<Result>(call: Call, run: ResultRun<Result>): Promise<Result> {
  const [result] = await collectRun<Result>(call, {
    async *start(options) {
      yield await run.start(options);
    },
    count: (_tokens, ended) => run.count(ended),
  });
  return result!;
}

/**
 * As `collectRun`, event by event. Returning the iterator ends the run at once, also while an event is awaited.
 *
 * @throws InferenceError `quota_exceeded`
 */
export async function startRun<Event>(call: Call, run: Run<Event>): Promise<AsyncIterator<Event>> {
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
  const start = (): AsyncIterator<Event> => {
    return run.start(callOptions(call, controller.signal))[Symbol.asyncIterator]();
  };
  let events: AsyncIterator<Event> | undefined;
  return {
    async next() {
      try {
        events ??= start();
        const result = await events.next();
        if (result.done === true) await settle('done');
        else bill.add(result.value);
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
      void events?.return?.().catch(() => {});
      return { done: true, value: undefined };
    },
  };
}

function callOptions({ request, origin }: Call, signal: AbortSignal): CallOptions {
  return { signal, deadlineMs: deadlineMsOf(request), origin };
}

type Outcome = 'done' | 'left' | 'failed';

interface Bill<Event> {
  add(event: Event): void;
  /** Counts once. */
  settle(outcome: Outcome): Promise<void>;
}

async function openBill<Event>(call: Call, { count }: Run<Event>): Promise<Bill<Event>> {
  await call.meter.spend();
  let tokens = 0;
  let settled = false;
  return {
    add(event) {
      tokens = count(tokens, event);
    },
    async settle(outcome) {
      if (settled) return;
      settled = true;
      try {
        await (outcome === 'failed' ? call.meter.refund() : call.meter.charge(tokens));
      } catch (error) {
        // The answer is there; a store that can't be reached now must not spoil it.
        call.report(InferenceError.from(error));
      }
    },
  };
}
