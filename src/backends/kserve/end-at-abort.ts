import { InferenceError } from '../../errors.ts';
import type { Pipeline } from '../../contracts/category.ts';

/**
 * Makes the runs of a pipeline end as soon as they are cancelled, also while they wait for another machine. That one
 * answers in its own time, and a run that waits for it would look like a worker that hangs.
 */
export function endAtAbort(pipeline: Pipeline): Pipeline {
  const { info, concurrency } = pipeline;
  return {
    info,
    concurrency,
    run(request, options = {}) {
      const events = pipeline.run(request, options);
      return options.signal ? untilAborted(events, options.signal) : events;
    },
    close: () => pipeline.close(),
  };
}

async function* untilAborted<Event>(
  source: AsyncIterable<Event>,
  signal: AbortSignal,
): AsyncGenerator<Event> {
  const events = source[Symbol.asyncIterator]();
  let abort = (): void => {};
  const aborted = new Promise<undefined>((resolve) => (abort = () => resolve(undefined)));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    for (;;) {
      const result = await Promise.race([events.next(), aborted]);
      if (!result) throw new InferenceError('cancelled', 'The request was cancelled.');
      if (result.done === true) return;
      yield result.value;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    // Not awaited: a run that waits for a server returns only after its answer.
    void events.return?.().catch(() => {});
  }
}
