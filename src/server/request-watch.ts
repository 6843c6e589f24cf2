import { InferenceError } from '../errors.ts';
import type { Observers } from '../observers.ts';
import type { ApiResponse } from '../contracts/http.ts';
import type { ObservedRequest, RequestObserver } from '../contracts/observer.ts';

export function watchRequest(observers: Observers<RequestObserver>, request: ObservedRequest) {
  if (observers.isEmpty) return undefined;
  const startedAt = performance.now();
  let error: InferenceError | undefined;
  let ended = false;
  /** Records the client's error; the first wins. */
  const fail = (failure: InferenceError): void => {
    error ??= failure;
  };
  const end = (status: number): void => {
    if (ended) return;
    ended = true;
    observers.tell('onRequestEnd', request, { status, durationMs: performance.now() - startedAt, error });
  };
  observers.tell('onRequestStart', request);
  return {
    fail,
    answer: (response: ApiResponse) => watchBody(response, { fail, end: () => end(response.status) }),
    answerAtEnd(response: ApiResponse, signal: AbortSignal) {
      if (signal.aborted) end(response.status);
      else signal.addEventListener('abort', () => end(response.status), { once: true });
      return response;
    },
  };
}

export function watchBody(response: ApiResponse, watch: StreamWatch): ApiResponse {
  const { body } = response;
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    return { ...response, body: watched(body[Symbol.asyncIterator](), watch) };
  void watch.end();
  return response;
}

interface StreamWatch {
  fail?(error: InferenceError): void;
  end(): void | Promise<void>;
}

/** Not a generator: `return` must reach the source immediately, even while a piece is pending. */
export function watched<Piece>(
  pieces: AsyncIterator<Piece>,
  { fail, end }: StreamWatch,
): AsyncIterableIterator<Piece> {
  const stream: AsyncIterableIterator<Piece> = {
    [Symbol.asyncIterator]: () => stream,
    async next() {
      try {
        const result = await pieces.next();
        if (result.done === true) await end();
        return result;
      } catch (error) {
        fail?.(InferenceError.from(error));
        await end();
        throw error;
      }
    },
    async return() {
      // Immediately: a pending piece now ends the stream before `return` does.
      fail?.(new InferenceError('cancelled', 'The client has disconnected.'));
      try {
        await pieces.return?.();
      } finally {
        await end();
      }
      return { done: true, value: undefined };
    },
  };
  return stream;
}
