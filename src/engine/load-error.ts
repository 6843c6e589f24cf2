import { InferenceError, sentence } from '../errors.ts';

/**
 * The error of a model that can't be loaded, as operators see it: `detail` may name paths and more, so no client is
 * shown it. A device that doesn't work is a wrong setting and nothing about the model.
 */
export function loadError(id: string, detail: string, param: string | undefined): InferenceError {
  const isDevice = param === 'device';
  const message = sentence(`Model "${id}"${isDevice ? '' : ' could not be loaded'}: ${detail}`);
  const cause = new Error(detail);
  return new InferenceError(isDevice ? 'invalid_request' : 'worker_failed', message, { param, cause });
}
