import { InferenceError } from '../errors.ts';

export interface FailedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly url: string;
}

/** Prints an error that only the operator can understand: an internal one, or a model that could not be loaded. */
export function printInternal(error: InferenceError, { requestId, method, url }: FailedRequest): void {
  const { code, cause } = error;
  const isLoad = code === 'worker_failed' && InferenceError.isInstance(cause);
  if (code !== 'internal' && !isLoad) return;
  console.error(
    `slashv1: ${method} ${url} (${requestId}) failed:`,
    isLoad ? cause.message : (cause ?? error),
  );
}
