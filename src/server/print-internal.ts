import type { InferenceError } from '../errors.ts';

/** What was asked for when something failed. */
export interface FailedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly url: string;
}

/** Prints an error that only the operator can understand. */
export function printInternal(error: InferenceError, { requestId, method, url }: FailedRequest): void {
  if (error.code !== 'internal') return;
  console.error(`slashv1: ${method} ${url} (${requestId}) failed:`, error.cause ?? error);
}
