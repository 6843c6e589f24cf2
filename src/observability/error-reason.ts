import type { ErrorCode, InferenceError } from '../errors.ts';

/** Messages about the service; messages of different codes may quote the request. */
const own: ReadonlySet<ErrorCode> = new Set(['worker_failed', 'overloaded', 'deadline_exceeded']);

/** The part of an error's message that may be logged. */
export function reasonOf({ code, message }: InferenceError): string | undefined {
  return own.has(code) ? message : undefined;
}
