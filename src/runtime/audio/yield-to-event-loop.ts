import { setImmediate } from 'node:timers/promises';
import { assertWanted } from '../../errors.ts';

/** Yields to the event loop once, so that an abort can take effect. */
export async function yieldToEventLoop(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate();
  assertWanted(signal);
}
