import { inspect } from 'node:util';
import { InferenceError } from '../errors.ts';
import type { WorkerMessage } from './protocol.ts';

/** A failed write means that the host has exited, which also emits `disconnect`. */
export function send(message: WorkerMessage, onWritten: () => void = () => undefined): void {
  process.send?.(message, undefined, undefined, onWritten);
}

/** Reports a fault of this worker to the operator. */
export function report(what: string, error: unknown): void {
  console.error(`slashv1 worker: ${what}: ${describe(error)}`);
}

/** The stack of an unexpected error helps to find its origin. */
function describe(error: unknown): string {
  if (InferenceError.isInstance(error) && error.code !== 'internal') return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : inspect(error);
}
