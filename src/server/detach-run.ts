import { setImmediate as nextTurn } from 'node:timers/promises';
import { createDeferred } from '../concurrency/deferred.ts';
import type { CallOptions } from '../contracts/run.ts';
import type { Call } from './call.ts';
import { collectRun, type BilledRequest } from './run.ts';

/**
 * `collectRun` beyond the end of its request, which keeps its place among those of its plan until then. It resolves when the
 * run waits or runs.
 */
export async function detachRun<Event>(
  call: Call,
  run: BilledRequest<Event>,
  { signal, onDispatch }: Required<Pick<CallOptions, 'signal' | 'onDispatch'>>,
): Promise<{ readonly events: Promise<Event[]> }> {
  // A package of clients sends it with every request: the longest time for the answer, which has come by then.
  const { 'x-stainless-timeout': _, ...headers } = call.request.headers;
  const request = { ...call.request, headers, signal: signal! };
  const started = createDeferred();
  let hasFailed = false;
  async function* watched(options: CallOptions): AsyncGenerator<Event> {
    try {
      yield* run.start(options);
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  }
  const leave = call.meter.stay();
  const events = collectRun(
    { ...call, request },
    {
      ...run,
      start(options) {
        started.resolve();
        const begin = (): void => {
          options.onDispatch?.();
          onDispatch?.();
        };
        return watched({ ...options, onDispatch: begin });
      },
    },
  ).finally(leave);
  events.catch(() => undefined);
  await Promise.race([started.promise, events]);
  // A run is refused in the turn in which it starts.
  await nextTurn();
  if (hasFailed) await events;
  return { events };
}
