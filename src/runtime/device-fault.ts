import { abbreviate } from '../core/text/quote.ts';
import { fieldError, type InferenceError } from '../errors.ts';
import { explainDevice, type Surroundings } from './explain-device.ts';

/** The error for a device that was chosen in the settings and doesn't work here: what it lacks, and how to get it. */
export function deviceFault(
  device: string,
  cause: unknown,
  runtime?: Surroundings['runtime'],
): InferenceError {
  const message = cause instanceof Error ? cause.message : String(cause);
  // The runtime names its source file and a condition first.
  const reason = message.replace(/^.* was false\. /s, '');
  return fieldError('device', `"${device}" doesn't work here: ${withAdvice(device, reason, runtime)}`, {
    cause,
  });
}

export function withAdvice(device: string, message: string, runtime?: Surroundings['runtime']): string {
  const { platform, env: environment } = process;
  const said = message.trim().replace(/\.$/, '');
  const { reason, advice } = explainDevice(device, said, { platform, environment, runtime });
  const cure = advice === undefined ? '' : `; ${advice}`;
  return `${abbreviate(reason, 300)}${cure}`;
}
