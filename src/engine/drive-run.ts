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
  // The signal's own flag is a getter that costs more than the rest of an iteration.
  let isAborted = signal.aborted;
  signal.addEventListener('abort', () => (isAborted = true), { once: true });
  let events = 0;
  try {
    for await (const event of pipeline.run(request, options)) {
      if (isAborted) break;
      const taken = onEvent(event);
      if (taken) await taken;
      if (++events % eventsPerTurn === 0) await setImmediate();
    }
  } catch (error) {
    if (!isAborted) return InferenceError.from(error);
  }
  return isAborted ? new InferenceError('cancelled', 'The request was cancelled.') : undefined;
}
