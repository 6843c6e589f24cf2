import { abbreviate } from '../core/text/quote.ts';
import { fieldError, type InferenceError } from '../errors.ts';

/**
 * The error for a device that was chosen in the settings and doesn't work here.
 *
 * @param options.advice the cure, where it is known
 */
export function deviceFault(
  device: string,
  cause: unknown,
  { advice }: { readonly advice?: string } = {},
): InferenceError {
  const message = cause instanceof Error ? cause.message : String(cause);
  // The runtime names its source file and a condition first.
  const reason = abbreviate(message.replace(/^.* was false\. /s, '').trim(), 200);
  const cure = advice === undefined ? '' : `; ${advice}`;
  return fieldError('device', `"${device}" doesn't work here: ${reason}${cure}`, { cause });
}
