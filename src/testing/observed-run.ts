import type { CallOptions, RunEvent } from '../contracts/run.ts';
import type { CategoryDefinition } from '../contracts/category.ts';
import type { InferenceObserver } from '../contracts/observer.ts';
import { watchRun, type RunWatch } from '../engine/run-watch.ts';
import { InferenceError } from '../errors.ts';
import type { Observers } from '../observers.ts';

/** Tells observers about a run of a fake model, which is taken at once. */
export function observe(
  observers: Observers<InferenceObserver>,
  category: CategoryDefinition,
  { model, request }: { readonly model: string; readonly request: unknown },
  { origin, responseId }: CallOptions,
): RunWatch | undefined {
  const { name, telemetry } = category;
  const run = { category: name, telemetry, request, model, isKnownModel: true, origin, responseId };
  const watch = watchRun(observers, run, category);
  watch?.dispatch();
  return watch;
}

/** Passes the events of a run on. */
export async function* observedEvents<Event extends RunEvent>(
  watch: RunWatch | undefined,
  events: AsyncIterable<Event>,
): AsyncGenerator<Event> {
  try {
    for await (const event of events) {
      watch?.push([event]);
      yield event;
    }
    watch?.end();
  } catch (error) {
    watch?.end(InferenceError.from(error));
    throw error;
  } finally {
    watch?.leave([]);
  }
}
