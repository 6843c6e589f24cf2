import type { CategoryDefinition } from '../contracts/category.ts';
import type { CallOptions, RunEvent, UsageTally, RunUsage } from '../contracts/run.ts';
import { InferenceError } from '../errors.ts';
import type { Observers } from '../observers.ts';
import type { InferenceObserver, ObservedRun } from '../contracts/observer.ts';

export type RunWatch = NonNullable<ReturnType<typeof watchRun>>;

const ofRuns = [
  'onRunStart',
  'onRunDispatch',
  'onRunPropagate',
  'onRunFirstOutput',
  'onRunEvents',
  'onRunEnd',
] as const;

/** Starts watching a run; `undefined` without observers of runs. */
export function watchRun(
  observers: Observers<InferenceObserver>,
  { name, telemetry, isOutput, tally }: CategoryDefinition,
  asked: Pick<ObservedRun, 'request' | 'model' | 'isKnownModel'>,
  { origin, responseId }: CallOptions,
) {
  if (!observers.hears(ofRuns)) return undefined;
  const run: ObservedRun = { ...asked, category: name, telemetry, origin, responseId };
  const startedAt = performance.now();
  const sinceStart = (): number => performance.now() - startedAt;
  const total: UsageTally = { usage: {}, finishReasons: [] };
  let waitMs: number | undefined;
  let firstOutputMs: number | undefined;
  let ended = false;
  observers.tell('onRunStart', run);
  const end = (error?: InferenceError): void => {
    if (ended) return;
    ended = true;
    observers.tell('onRunEnd', run, {
      durationMs: sinceStart(),
      waitMs,
      firstOutputMs,
      usage: total.usage,
      // Unfinished choices leave holes.
      finishReasons: total.finishReasons.filter(Boolean),
      error,
    });
  };
  return {
    dispatch(): void {
      waitMs = sinceStart();
      observers.tell('onRunDispatch', run, waitMs);
    },
    /** Lets observers add their trace headers for a different machine. */
    propagate(headers: Record<string, string>): void {
      observers.tell('onRunPropagate', run, headers);
    },
    push(events: readonly RunEvent[]): void {
      if (ended) return;
      if (firstOutputMs === undefined && events.some(isOutput)) {
        firstOutputMs = sinceStart();
        observers.tell('onRunFirstOutput', run, firstOutputMs);
      }
      for (const event of events) tally(event, total);
      observers.tell('onRunEvents', run, events);
    },
    /** The caller has left without reading these events. Only the first end counts. */
    leave(unread: readonly RunEvent[]): void {
      const lost: UsageTally = { usage: {}, finishReasons: [] };
      for (const event of unread.filter(isOutput)) tally(event, lost);
      subtractTokens(total.usage, lost.usage);
      end(new InferenceError('cancelled', 'The caller has left.'));
    },
    end,
  };
}

/** Tokens that never reached the client aren't billed. */
function subtractTokens(usage: RunUsage, lost: RunUsage): void {
  for (const name of ['outputTokens', 'reasoningTokens'] as const) {
    if (lost[name] !== undefined) usage[name] = (usage[name] ?? 0) - lost[name];
  }
}
