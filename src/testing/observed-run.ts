import type { CallOptions } from '../engine/contract.ts';
import type { InferenceObserver, ObservedRun, RunSubject } from '../engine/observer.ts';
import type { AnyEvent } from '../engine/protocol.ts';
import { left, watchRun, type RunWatch } from '../engine/run-watch.ts';
import { InferenceError } from '../errors.ts';
import type { Observers } from '../observers.ts';

/** Tells observers about a run of a fake model, which is taken at once. */
export function observe(
  observers: Observers<InferenceObserver>,
  subject: RunSubject,
  { origin, responseId }: CallOptions,
): RunWatch | undefined {
  const { model } = subject.request;
  const run: ObservedRun = { ...subject, model, isKnownModel: true, origin, responseId };
  const watch = watchRun(observers, run);
  watch?.dispatch();
  return watch;
}

/** Passes the events of a run on. */
export async function* observedEvents<Event extends AnyEvent>(
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
    watch?.end(left());
  }
}

/** Passes the result of a run on. */
export async function observedResult<Result extends object>(
  watch: RunWatch | undefined,
  result: () => Result | Promise<Result>,
  toEvent: (result: Result) => AnyEvent,
): Promise<Result> {
  try {
    const made = await result();
    watch?.push([toEvent(made)]);
    watch?.end();
    return made;
  } catch (error) {
    watch?.end(InferenceError.from(error));
    throw error;
  }
}
