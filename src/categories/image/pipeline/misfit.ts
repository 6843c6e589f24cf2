import { fieldError, type InferenceError } from '../../../errors.ts';

/** The error for a model whose files can't be used. */
export function misfit(component: string, reason: string, cause?: unknown): InferenceError {
  return fieldError('source', `${component}: ${reason}`, { cause });
}
