import type { ErrorCode, InferenceError } from '../errors.ts';

/** Their messages say what is wrong with the service; those of others may quote the request. */
const own: ReadonlySet<ErrorCode> = new Set(['worker_failed', 'overloaded', 'deadline_exceeded']);

/** The part of an error beside its code that logs may hold. */
export function reasonOf({ code, message }: InferenceError): string | undefined {
  return own.has(code) ? message : undefined;
}
