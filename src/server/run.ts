import type { CategoryDefinition } from '../contracts/category.ts';
import type { AnyRequest } from '../contracts/engine.ts';
import type { ModelInfo } from '../contracts/model.ts';
import type { RunEvent, UsageTally, TokenEstimate } from '../contracts/run.ts';
import { InferenceError } from '../errors.ts';
import type { Call } from './call.ts';
import { deadlineMsOf } from '../http/headers.ts';

/** A request to a model that is to be paid for. */
export interface BilledRun {
  readonly category: CategoryDefinition;
  readonly request: AnyRequest;
  readonly model: ModelInfo;
  readonly responseId?: string | undefined;
}

/** Told what becomes of a run. */
export interface RunHooks {
  readonly onStart?: () => void;
  readonly onDispatch?: (() => void) | undefined;
  readonly onFailure?: () => void;
}

interface OpenRunOptions extends RunHooks {
  /** Whether a run that ends early costs no more than the output that was sent; default true. */
  readonly isStream?: boolean;
  /** Whether the caller says by `bill` what was sent, and returns events that fail; default: each is sent at once. */
  readonly billsLater?: boolean;
  /** Resolves when it is clear whether the run is used: an unused one is refunded. Default: it is used. */
  readonly isUsed?: Promise<boolean> | undefined;
}

/**
 * Runs to the end and gives all events. Spends one request of the caller's quota, reserves tokens and charges what the run's
 * ending costs.
 */
export async function collectRun(call: Call, run: BilledRun, hooks?: RunHooks): Promise<RunEvent[]> {
  const { events } = await openRun(call, run, { ...hooks, isStream: false });
  const collected: RunEvent[] = [];
  for await (const event of events) collected.push(event);
  return collected;
}

/**
 * `collectRun`, event by event. A run that fails is charged when its iterator is returned, or when its client leaves: until
 * then the client may be sent events that came before.
 */
export async function openRun(
  call: Call,
  run: BilledRun,
  { isStream = true, billsLater = false, isUsed, onStart, onDispatch, onFailure }: OpenRunOptions = {},
) {
  const client = call.request.signal;
  const bill = await openBill(call, run, { isStream, isUsed });
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
  const start = (): AsyncIterable<RunEvent> => {
    onStart?.();
    const givenMs = deadlineMsOf(call.request);
    return call.inference.run(run.category.name, run.request, {
      signal: controller.signal,
      // The body has taken its part.
      deadlineMs: givenMs && Math.max(1, Math.ceil(givenMs - (performance.now() - call.startedAt))),
      origin: call.origin,
      responseId: run.responseId,
      owner: call.owner,
      sharesPrefixes: call.settings.sharedPrefixes,
      mayRestart: !isStream,
      onDispatch() {
        bill.begin();
        onDispatch?.();
      },
    });
  };
  let iterator: AsyncIterator<RunEvent> | undefined;
  const events: AsyncIterableIterator<RunEvent> = {
    [Symbol.asyncIterator]: () => events,
    async next() {
      try {
        iterator ??= start()[Symbol.asyncIterator]();
        const result = await iterator.next();
        if (result.done === true) await settle('finished');
        else {
          bill.read(result.value);
          if (!billsLater) bill.take(result.value);
        }
        return result;
      } catch (error) {
        onFailure?.();
        const ending = endingOf(error, controller.signal);
        if (ending === 'left') await settle(ending);
        else failure = ending;
        if (!billsLater) await events.return!();
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
  };
}

/** The way a run ends: `left` by its client, `failed` for a lost worker, a shutdown, a refusal. */
type Ending = 'finished' | 'left' | 'deadline' | 'failed';

function endingOf(error: unknown, signal: AbortSignal): Ending {
  if (signal.aborted) return 'left';
  return InferenceError.from(error).code === 'deadline_exceeded' ? 'deadline' : 'failed';
}

/** Charges as the table in `docs/guides/errors-and-limits.md` says. */
async function openBill(
  call: Call,
  { category, request, model }: BilledRun,
  { isStream = true, isUsed }: Pick<OpenRunOptions, 'isStream' | 'isUsed'>,
) {
  let estimated: TokenEstimate = { input: 0, output: 0 };
  // Only callers with a plan ask for it.
  const spending = await call.meter.spend(() => {
    estimated = category.estimateTokens?.(request, model) ?? estimated;
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
    read(event: RunEvent): void {
      hasBegun = true;
      category.tally(event, read);
      if (isStream && !category.isOutput(event)) category.tally(event, taken);
    },
    take(event: RunEvent): void {
      if (!isStream || !category.isOutput(event)) return;
      hasSent = true;
      category.tally(event, taken);
    },
    /** Counts once. */
    async settle(ending: Ending): Promise<void> {
      if (settled) return;
      settled = true;
      const { inputTokens, outputTokens = 0 } = (ending === 'finished' ? read : taken).usage;
      // Texts are counted with their vectors, which a run that ends early doesn't bring.
      const uncounted = hasBegun && ending !== 'finished' ? estimated.input : 0;
      const tokens = (inputTokens ?? uncounted) + outputTokens;
      const pay = async (): Promise<void> =>
        isCharged(ending) && (await isUsed) !== false ? spending.settle(tokens) : spending.refund();
      // The answer is there; a store that can't be reached now must not spoil it.
      const paid = pay().catch((error: unknown) => call.report(InferenceError.from(error)));
      // A run ends before it is clear whether it is used.
      if (!isUsed) await paid;
    },
  };
}
