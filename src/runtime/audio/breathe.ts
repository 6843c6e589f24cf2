import { setImmediate } from 'node:timers/promises';
import { assertWanted } from '../../errors.ts';

/** Lets the event loop turn once, so that an abort can act. */
export async function breathe(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate();
  assertWanted(signal);
}
