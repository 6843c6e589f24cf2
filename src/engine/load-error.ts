import { InferenceError, sentence, type SerializedError } from '../errors.ts';

/**
 * The error of a model that can't be loaded, as operators see it: `detail` may name paths and more, so no client is
 * shown it.
 */
export function loadError(id: string, { param }: SerializedError, detail: string): InferenceError {
  return new InferenceError('worker_failed', sentence(`Model "${id}" could not be loaded: ${detail}`), {
    param,
    cause: new Error(detail),
  });
}
