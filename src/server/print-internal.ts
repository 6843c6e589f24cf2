import { withinTime } from '../concurrency/within-time.ts';
import { InferenceError, messageOf, sentence } from '../errors.ts';

export interface FailedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly url: string;
}

const hostFaults = new WeakSet<InferenceError>();

/** Calls a function of the host: a failure or timeout becomes 503 with the message; the host gets the cause. @throws InferenceError `overloaded` */
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

/** For the operator: internal errors, the host's faults, models that can't be loaded, files that can't be written. */
export function printInternal(error: InferenceError, { requestId, method, url }: FailedRequest): void {
  const { code, cause } = error;
  const isOfHost = hostFaults.has(error);
  const isLoad = (code === 'worker_failed' || code === 'overloaded') && InferenceError.isInstance(cause);
  const isExpected = !isOfHost && (isLoad || code === 'insufficient_storage');
  if (code !== 'internal' && !isOfHost && !isExpected) return;
  const reason = cause ?? error;
  console.error(
    `slashv1: ${method} ${url} (${requestId}) failed:`,
    ...(isOfHost ? [error.message] : []),
    isExpected ? messageOf(reason) : reason,
  );
}
