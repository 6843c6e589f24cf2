import { InferenceError } from '../../../errors.ts';

/** The error for a model whose files can't be used. */
export function misfit(component: string, reason: string, cause?: unknown): InferenceError {
  return new InferenceError('invalid_request', `source: ${component}: ${reason}`, { param: 'source', cause });
}

/** The error for a request that the model can't follow. */
export function invalid(param: string, reason: string, cause?: unknown): InferenceError {
  return new InferenceError('invalid_request', `${param}: ${reason}`, { param, cause });
}
