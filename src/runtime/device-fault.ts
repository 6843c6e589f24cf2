import { abbreviate } from '../core/text/quote.ts';
import { fieldError, type InferenceError } from '../errors.ts';

/** The error for a device that was chosen in the settings and doesn't work here. */
export function deviceFault(device: string, cause: unknown): InferenceError {
  const message = cause instanceof Error ? cause.message : String(cause);
  // The runtime names its source file and a condition first.
  const reason = abbreviate(message.replace(/^.* was false\. /s, '').trim(), 200);
  return fieldError('device', `"${device}" doesn't work here: ${reason}`, { cause });
}
