import { inspect } from 'node:util';
import { InferenceError } from '../errors.ts';
import type { WorkerMessage } from './protocol.ts';

/** A failed write means that the host has gone, which emits `disconnect` as well. */
export function send(message: WorkerMessage, onWritten: () => void = () => undefined): void {
  process.send?.(message, undefined, undefined, onWritten);
}

/** Tells the operator what went wrong in this worker. */
export function report(what: string, error: unknown): void {
  console.error(`slashv1 worker: ${what}: ${describe(error)}`);
}

/** The origin of an unforeseen error is worth knowing. */
function describe(error: unknown): string {
  if (InferenceError.isInstance(error) && error.code !== 'internal') return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : inspect(error);
}
