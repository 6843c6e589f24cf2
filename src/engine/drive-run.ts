import { setImmediate } from 'node:timers/promises';
import { InferenceError } from '../errors.ts';
import type { Pipeline } from '../contracts/category.ts';
import type { RunEvent, PipelineRunOptions } from '../contracts/run.ts';

/** Maximum consecutive events before the event loop gets a turn. */
const eventsPerTurn = 256;

/**
 * Runs one request through a pipeline to its end. Never rejects; resolves to the error that ended the run, if any.
 * After `signal` is aborted no further event is forwarded, even if the pipeline ignores the signal. If `onEvent`
 * returns a promise, the next event is only requested after it resolves.
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
