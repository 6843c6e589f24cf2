import { setImmediate } from 'node:timers/promises';
import { InferenceError } from '../errors.ts';
import type { Pipeline } from '../contracts/category.ts';
import type { RunEvent, PipelineRunOptions } from '../contracts/run.ts';

/** Events that may come at once before everything else in this process gets its turn. */
const eventsPerTurn = 256;

/**
 * Drives one request through a pipeline to its end. Never rejects; resolves to the error that ended the run, if any.
 * After `signal` is aborted no further event is passed on, also if the pipeline ignores the signal. Where `onEvent`
 * returns a promise, the next event is not asked for before that resolves.
 */
export async function driveRun(
  pipeline: Pipeline,
  request: unknown,
  options: PipelineRunOptions & { readonly signal: AbortSignal },
  onEvent: (event: RunEvent) => void | Promise<void>,
): Promise<InferenceError | undefined> {
  const { signal } = options;
  let events = 0;
  try {
    for await (const event of pipeline.run(request, options)) {
      if (signal.aborted) break;
      const taken = onEvent(event);
      if (taken) await taken;
      if (++events % eventsPerTurn === 0) await setImmediate();
    }
  } catch (error) {
    if (!signal.aborted) return InferenceError.from(error);
  }
  return signal.aborted ? new InferenceError('cancelled', 'The request was cancelled.') : undefined;
}
