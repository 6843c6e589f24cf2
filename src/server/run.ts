import type { CategoryDefinition } from '../contracts/category.ts';
import type { AnyRequest } from '../contracts/engine.ts';
import type { ModelInfo } from '../contracts/model.ts';
import type { RunEvent, UsageTally, TokenEstimate } from '../contracts/run.ts';
import { InferenceError } from '../errors.ts';
import type { Call } from './call.ts';
import { deadlineMsOf } from '../http/headers.ts';
import type { Meter } from './plans.ts';

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
  const collected: RunEvent[] = [];
  for await (const event of await openRun(call, run, { ...hooks, isStream: false })) collected.push(event);
  return collected;
}

/** A failed run is billed when its iterator is returned or its client disconnects: until then, earlier events may still be sent. */
export async function openRun(call: Call, run: BilledRun, options: OpenRunOptions = {}): Promise<OpenRun> {
  let estimated: TokenEstimate = { input: 0, output: 0 };
  // Called only for callers with a plan.
  const spending = await call.meter.spend(() => {
    estimated = run.category.estimateTokens?.(run.request, run.model) ?? estimated;
    return estimated.input + estimated.output;
  });
  return new OpenRun(call, run, { ...options, spending, estimatedInput: estimated.input });
}

/** Outcome of a run: `left` for a disconnect, `failed` for a lost worker, a shutdown or a rejection. */
type Ending = 'finished' | 'left' | 'deadline' | 'failed';

interface OpenRunParts extends OpenRunOptions {
  /** `undefined` for a caller without limits. */
  readonly spending: Awaited<ReturnType<Meter['spend']>>;
  readonly estimatedInput: number;
}

/** `return` ends the run immediately, even while an event is pending. Bills by the table in `docs/guides/errors-and-limits.md`. */
class OpenRun implements AsyncIterableIterator<RunEvent> {
  readonly #call: Call;
  readonly #run: BilledRun;
  readonly #parts: OpenRunParts;
  readonly #isStream: boolean;
  readonly #controller = new AbortController();
  readonly #read: UsageTally = { usage: {}, finishReasons: [] };
  /** A complete run bills everything, a stream that ends early only its sent output. */
  readonly #taken: UsageTally;
  #iterator: AsyncIterator<RunEvent> | undefined;
  #failure: Ending | undefined;
  #hasBegun = false;
  #hasSent = false;
  #isSettled = false;

  constructor(call: Call, run: BilledRun, parts: OpenRunParts) {
    this.#call = call;
    this.#run = run;
    this.#parts = parts;
    this.#isStream = parts.isStream ?? true;
    this.#taken = this.#isStream ? { usage: {}, finishReasons: [] } : this.#read;
    const client = call.request.signal;
    if (client.aborted) this.#abort();
    else client.addEventListener('abort', this.#abort, { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<RunEvent, undefined>> {
    const { billsLater, onFailure } = this.#parts;
    const { category } = this.#run;
    try {
      this.#iterator ??= this.#start();
      const { done, value } = await this.#iterator.next();
      if (done === true) {
        await this.#settle('finished');
        return { done, value: undefined };
      }
      this.#hasBegun = true;
      category.tally(value, this.#read);
      // A stream's client may not have seen it.
      if (this.#isStream && !category.isOutput(value)) category.tally(value, this.#taken);
      if (!billsLater) this.take(value);
      return { done: false, value };
    } catch (error) {
      onFailure?.();
      const ending = endingOf(error, this.#controller.signal);
      if (ending === 'left') await this.#settle(ending);
      else this.#failure = ending;
      if (!billsLater) await this.return();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<RunEvent, undefined>> {
    this.#abort();
    await this.#settle(this.#failure ?? 'left');
    // Not awaited: a busy generator returns only after its next event.
    void this.#iterator?.return?.().catch(() => {});
    return { done: true, value: undefined };
  }

  /** Bills an event of a stream as sent. */
  readonly take = (event: RunEvent): void => {
    const { category } = this.#run;
    if (!this.#isStream || !category.isOutput(event)) return;
    this.#hasSent = true;
    category.tally(event, this.#taken);
  };

  readonly #abort = (): void => {
    this.#controller.abort();
    if (this.#failure) void this.#settle(this.#failure);
  };

  #start(): AsyncIterator<RunEvent> {
    const { inference, request, startedAt, origin, owner, settings } = this.#call;
    this.#parts.onStart?.();
    const givenMs = deadlineMsOf(request);
    const events = inference.run(this.#run.category.name, this.#run.request, {
      signal: this.#controller.signal,
      // Subtract the time taken by the body.
      deadlineMs: givenMs && Math.max(1, Math.ceil(givenMs - (performance.now() - startedAt))),
      origin,
      responseId: this.#run.responseId,
      owner,
      sharesPrefixes: settings.sharedPrefixes,
      mayRestart: !this.#isStream,
      onDispatch: () => {
        this.#hasBegun = true;
        this.#parts.onDispatch?.();
      },
    });
    return events[Symbol.asyncIterator]();
  }

  /** Idempotent. */
  async #settle(ending: Ending): Promise<void> {
    this.#call.request.signal.removeEventListener('abort', this.#abort);
    if (this.#isSettled) return;
    this.#isSettled = true;
    const { spending, isUsed } = this.#parts;
    if (spending === undefined) return;
    // The answer is sent; a store failure must not affect it.
    const paid = this.#pay(ending, spending).catch((error: unknown) =>
      this.#call.report(InferenceError.from(error)),
    );
    // A run ends before it is clear whether it is used.
    if (!isUsed) await paid;
  }

  async #pay(ending: Ending, spending: NonNullable<OpenRunParts['spending']>): Promise<void> {
    const { isUsed, estimatedInput } = this.#parts;
    const { inputTokens, outputTokens = 0 } = (ending === 'finished' ? this.#read : this.#taken).usage;
    // Texts are counted with their vectors, which a run that ends early doesn't return.
    const uncounted = this.#hasBegun && ending !== 'finished' ? estimatedInput : 0;
    const tokens = (inputTokens ?? uncounted) + outputTokens;
    const hasDeadline = deadlineMsOf(this.#call.request) !== undefined;
    const isCharged =
      ending === 'failed' ? this.#hasSent : ending !== 'deadline' || this.#hasBegun || hasDeadline;
    await (isCharged && (await isUsed) !== false ? spending.settle(tokens) : spending.refund());
  }
}

function endingOf(error: unknown, signal: AbortSignal): Ending {
  if (signal.aborted) return 'left';
  return InferenceError.from(error).code === 'deadline_exceeded' ? 'deadline' : 'failed';
}
