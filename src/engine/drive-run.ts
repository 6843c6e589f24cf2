import { InferenceError } from '../errors.ts';
import type { Pipeline } from '../pipelines/contract.ts';
import type { AnyEvent, AnyRequest } from './protocol.ts';

/**
 * Drives one request through a pipeline to its end. Never rejects; resolves to the error that ended the run, if any.
 * After `signal` is aborted no further event is passed on, also if the pipeline ignores the signal.
 */
export async function driveRun(
  pipeline: Pipeline,
  request: AnyRequest,
  signal: AbortSignal,
  onEvent: (event: AnyEvent) => void,
): Promise<InferenceError | undefined> {
  try {
    for await (const event of pipeline.run(request, { signal })) {
      if (signal.aborted) break;
      onEvent(event);
    }
  } catch (error) {
    if (!signal.aborted) return InferenceError.from(error);
  }
  return signal.aborted ? new InferenceError('cancelled', 'The request was cancelled.') : undefined;
}
