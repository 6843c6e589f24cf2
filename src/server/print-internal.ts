import { InferenceError, messageOf } from '../errors.ts';

export interface FailedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly url: string;
}

/** Prints an error that only the operator can understand: an internal one, a model that could not be loaded, files that could not be written. */
export function printInternal(error: InferenceError, { requestId, method, url }: FailedRequest): void {
  const { code, cause } = error;
  const isLoad = (code === 'worker_failed' || code === 'overloaded') && InferenceError.isInstance(cause);
  const isExpected = isLoad || code === 'insufficient_storage';
  if (code !== 'internal' && !isExpected) return;
  const reason = cause ?? error;
  console.error(`slashv1: ${method} ${url} (${requestId}) failed:`, isExpected ? messageOf(reason) : reason);
}
