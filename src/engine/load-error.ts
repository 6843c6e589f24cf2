import { InferenceError, sentence, type SerializedError } from '../errors.ts';

/**
 * The error of a model that can't be loaded, as callers see it. What an unknown error says may be a path or worse, so
 * only `cause` tells it.
 */
export function loadError(id: string, error: SerializedError, detail: string): InferenceError {
  const reason = error.code === 'internal' ? '' : `: ${error.message}`;
  return new InferenceError('worker_failed', sentence(`Model "${id}" could not be loaded${reason}`), {
    param: error.param,
    cause: new Error(detail),
  });
}
