import { InferenceError, sentence, type SerializedError } from '../errors.ts';

/**
 * The error of a model that can't be loaded, as operators see it: `detail` may name paths and more, so no client is
 * shown it. A device that doesn't work is a wrong setting and nothing about the model.
 */
export function loadError(id: string, { param }: SerializedError, detail: string): InferenceError {
  if (param === 'device') {
    return new InferenceError('invalid_request', sentence(`Model "${id}": ${detail}`), {
      param,
      cause: new Error(detail),
    });
  }
  return new InferenceError('worker_failed', sentence(`Model "${id}" could not be loaded: ${detail}`), {
    param,
    cause: new Error(detail),
  });
}
