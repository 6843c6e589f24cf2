import type { ErrorCode, InferenceError } from '../errors.ts';

/** Their messages say what is wrong with the service; those of others may quote the request. */
const own: ReadonlySet<ErrorCode> = new Set(['worker_failed', 'overloaded', 'deadline_exceeded']);

/** What may be written down about an error beside its code. */
export function reasonOf({ code, message }: InferenceError): string | undefined {
  return own.has(code) ? message : undefined;
}
