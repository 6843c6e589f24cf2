import type { CategoryDefinition } from '../contracts/category.ts';
import type { AnyRequest } from '../contracts/engine.ts';
import type { ModelInfo } from '../contracts/model.ts';
import type { RunEvent, UsageTally, TokenEstimate } from '../contracts/run.ts';
import { InferenceError } from '../errors.ts';
import type { Call } from './call.ts';
import { deadlineMsOf } from '../http/headers.ts';

export interface BilledRun {
  readonly category: CategoryDefinition;
  readonly request: AnyRequest;
  readonly model: ModelInfo;
  readonly responseId?: string | undefined;
}

export interface RunHooks {
  readonly onStart?: () => void;
  readonly onDispatch?: (() => void) | undefined;
  readonly onFailure?: () => void;
}

interface OpenRunOptions extends RunHooks {
  /** Bill only the sent output of a run that ends early; default true. */
  readonly isStream?: boolean;
  /** The caller reports sent output with `bill`, and returns events on failure; default: each event counts as sent. */
  readonly billsLater?: boolean;
  /** Resolves once it is clear whether the run is used: unused runs are refunded. Default: used. */
  readonly isUsed?: Promise<boolean> | undefined;
}

/** Spends one request of the caller's quota, reserves tokens and bills by the run's outcome. */
export async function collectRun(call: Call, run: BilledRun, hooks?: RunHooks): Promise<RunEvent[]> {
  const { events } = await openRun(call, run, { ...hooks, isStream: false });
  const collected: RunEvent[] = [];
  for await (const event of events) collected.push(event);
  return collected;
}

/** A failed run is billed when its iterator is returned or its client disconnects: until then, earlier events may still be sent. */
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
      // Subtract the time taken by the body.
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
      // Not awaited: a busy generator returns only after its next event.
      void iterator?.return?.().catch(() => {});
      return { done: true, value: undefined };
    },
  };
  return {
    /** `return` ends the run immediately, even while an event is pending. */
    events,
    bill: bill.take,
  };
}

/** Outcome of a run: `left` for a disconnect, `failed` for a lost worker, a shutdown or a rejection. */
type Ending = 'finished' | 'left' | 'deadline' | 'failed';

function endingOf(error: unknown, signal: AbortSignal): Ending {
  if (signal.aborted) return 'left';
  return InferenceError.from(error).code === 'deadline_exceeded' ? 'deadline' : 'failed';
}

/** See the table in `docs/guides/errors-and-limits.md`. */
async function openBill(
  call: Call,
  { category, request, model }: BilledRun,
  { isStream = true, isUsed }: Pick<OpenRunOptions, 'isStream' | 'isUsed'>,
) {
  let estimated: TokenEstimate = { input: 0, output: 0 };
  // Called only for callers with a plan.
  const spending = await call.meter.spend(() => {
    estimated = category.estimateTokens?.(request, model) ?? estimated;
    return estimated.input + estimated.output;
  });
  // A complete run bills everything, a stream that ends early only its sent output.
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
    /** Counts a received event; a stream's client may not have seen it. */
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
    /** Idempotent. */
    async settle(ending: Ending): Promise<void> {
      if (settled) return;
      settled = true;
      const { inputTokens, outputTokens = 0 } = (ending === 'finished' ? read : taken).usage;
      // Texts are counted with their vectors, which a run that ends early doesn't return.
      const uncounted = hasBegun && ending !== 'finished' ? estimated.input : 0;
      const tokens = (inputTokens ?? uncounted) + outputTokens;
      const pay = async (): Promise<void> =>
        isCharged(ending) && (await isUsed) !== false ? spending.settle(tokens) : spending.refund();
      // The answer is sent; a store failure must not affect it.
      const paid = pay().catch((error: unknown) => call.report(InferenceError.from(error)));
      // A run ends before it is clear whether it is used.
      if (!isUsed) await paid;
    },
  };
}
