import { withinTime } from '../concurrency/within-time.ts';
import { InferenceError, sentence } from '../errors.ts';

export interface FailedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly url: string;
}

const hostFaults = new WeakSet<InferenceError>();

/**
 * Calls a function of the host. If it is late, throws or rejects, the client gets 503 with the message, and the host gets the cause.
 *
 * @throws InferenceError `overloaded`
 */
export function askHost<Answer>(
  ask: () => Answer | Promise<Answer>,
  { timeoutMs, message }: { readonly timeoutMs: number; readonly message: string },
): Promise<Answer> {
  return withinTime(ask, timeoutMs).catch((cause: unknown) => {
    throw hostFault(message, cause);
  });
}

export function hostFault(message: string, cause: unknown): InferenceError {
  const error = new InferenceError('overloaded', sentence(message), { retryAfterSeconds: 1, cause });
  hostFaults.add(error);
  return error;
}

/** Prints an error that only the operator can understand: an internal one, the host's fault, or a model that could not be loaded. */
export function printInternal(error: InferenceError, { requestId, method, url }: FailedRequest): void {
  const { code, cause } = error;
  const isLoad = code === 'worker_failed' && InferenceError.isInstance(cause);
  const isOfHost = hostFaults.has(error);
  if (code !== 'internal' && !isLoad && !isOfHost) return;
  console.error(
    `slashv1: ${method} ${url} (${requestId}) failed:`,
    ...(isOfHost ? [error.message] : []),
    isLoad ? cause.message : (cause ?? error),
  );
}
