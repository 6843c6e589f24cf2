import type { CallOptions, UsageTally, TokenEstimate } from '../contracts/run.ts';
import { InferenceError } from '../errors.ts';
import type { Call } from './call.ts';
import { deadlineMsOf } from '../http/headers.ts';

export interface BilledRequest<Event> {
  /** Tokens that it may use, about; called only for callers with a plan. */
  readonly estimate: () => TokenEstimate;
  readonly start: (options: CallOptions) => AsyncIterable<Event>;
  readonly tally: (event: Event, tally: UsageTally) => void;
  readonly isOutput: (event: Event) => boolean;
}

/**
 * Runs to the end and gives all events. Spends one request of the caller's quota, reserves tokens and charges what the run's
 * ending costs.
 */
export async function collectRun<Event>(call: Call, run: BilledRequest<Event>): Promise<Event[]> {
  const source = (await openRun(call, run, { isStream: false })).billed();
  const events: Event[] = [];
  for await (const event of { [Symbol.asyncIterator]: () => source }) events.push(event);
  return events;
}

/**
 * `collectRun`, event by event. A run that fails is charged when its iterator is returned, or when its client leaves: until
 * then the client may be sent events that came before.
 */
export async function openRun<Event>(
  call: Call,
  run: BilledRequest<Event>,
  { isStream = true }: { isStream?: boolean } = {},
) {
  const client = call.request.signal;
  const bill = await openBill(call, run, { isStream });
  const controller = new AbortController();
  let failure: Ending | undefined;
  const abort = (): void => {
    controller.abort();
    if (failure) void settle(failure);
  };
  if (client.aborted) abort();
  else client.addEventListener('abort', abort, { once: true });
  const settle = (ending: Ending): Promise<void> => {
    client.removeEventListener('abort', abort);
    return bill.settle(ending);
  };
  const start = (): AsyncIterable<Event> =>
    run.start({ ...callOptions(call, controller.signal, bill.begin), mayRestart: !isStream });
  let iterator: AsyncIterator<Event> | undefined;
  const events: AsyncIterator<Event> = {
    async next() {
      try {
        iterator ??= start()[Symbol.asyncIterator]();
        const result = await iterator.next();
        if (result.done === true) await settle('finished');
        else bill.read(result.value);
        return result;
      } catch (error) {
        const ending = endingOf(error, controller.signal);
        if (ending === 'left') await settle(ending);
        else failure = ending;
        throw error;
      }
    },
    async return() {
      abort();
      await settle(failure ?? 'left');
      // Not awaited: a generator that is busy returns only after its next event.
      void iterator?.return?.().catch(() => {});
      return { done: true, value: undefined };
    },
  };
  return {
    /** Returning it ends the run at once, also while an event is awaited. */
    events,
    /** Puts an event's output on the bill: the client has been sent it. */
    bill: bill.take,
    billed: (): AsyncIterator<Event> => ({
      ...events,
      async next() {
        try {
          const result = await events.next();
          if (result.done !== true) bill.take(result.value);
          return result;
        } catch (error) {
          await events.return!();
          throw error;
        }
      },
    }),
  };
}

function callOptions(call: Call, signal: AbortSignal, onDispatch: () => void): CallOptions {
  const { request, origin, settings, startedAt } = call;
  const givenMs = deadlineMsOf(request);
  return {
    signal,
    // The body has taken its part.
    deadlineMs: givenMs && Math.max(1, Math.ceil(givenMs - (performance.now() - startedAt))),
    origin,
    owner: call.owner,
    sharesPrefixes: settings.sharedPrefixes,
    onDispatch,
  };
}

/** The way a run ends: `left` by its client, `failed` for a lost worker, a shutdown, a refusal. */
type Ending = 'finished' | 'left' | 'deadline' | 'failed';

function endingOf(error: unknown, signal: AbortSignal): Ending {
  if (signal.aborted) return 'left';
  return InferenceError.from(error).code === 'deadline_exceeded' ? 'deadline' : 'failed';
}

/** Charges as the table in `docs/guides/errors-and-limits.md` says. */
async function openBill<Event>(
  call: Call,
  { tally, isOutput, estimate }: BilledRequest<Event>,
  { isStream }: { isStream: boolean },
) {
  let estimated: TokenEstimate = { input: 0, output: 0 };
  const spending = await call.meter.spend(() => {
    estimated = estimate();
    return estimated.input + estimated.output;
  });
  // A complete run costs all of it, a stream that ends early only the output that was sent.
  const read: UsageTally = { usage: {}, finishReasons: [] };
  const taken: UsageTally = isStream ? { usage: {}, finishReasons: [] } : read;
  let hasBegun = false;
  let hasSent = false;
  let settled = false;
  const isCharged = (ending: Ending): boolean => {
    if (ending === 'failed') return hasSent;
    return ending !== 'deadline' || hasBegun || deadlineMsOf(call.request) !== undefined;
  };
  return {
    begin(): void {
      hasBegun = true;
    },
    /** The event is there; the client of a stream need not have seen it. */
    read(event: Event): void {
      hasBegun = true;
      tally(event, read);
      if (isStream && !isOutput(event)) tally(event, taken);
    },
    take(event: Event): void {
      if (!isStream || !isOutput(event)) return;
      hasSent = true;
      tally(event, taken);
    },
    /** Counts once. */
    async settle(ending: Ending): Promise<void> {
      if (settled) return;
      settled = true;
      const { inputTokens, outputTokens = 0 } = (ending === 'finished' ? read : taken).usage;
      // Texts are counted with their vectors, which a run that ends early doesn't bring.
      const uncounted = hasBegun && ending !== 'finished' ? estimated.input : 0;
      try {
        await (isCharged(ending)
          ? spending.settle((inputTokens ?? uncounted) + outputTokens)
          : spending.refund());
      } catch (error) {
        // The answer is there; a store that can't be reached now must not spoil it.
        call.report(InferenceError.from(error));
      }
    },
  };
}
