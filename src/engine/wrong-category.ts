import type { ModelInfo } from '../contracts/model.ts';
import { fieldError, type InferenceError } from '../errors.ts';
import { quote } from '../core/text/quote.ts';

/** The error of a request to a model of another category. */
export function wrongCategory({ id, category }: ModelInfo, wanted: string): InferenceError {
  return fieldError('model', `expected a model for ${wanted}, got ${quote(id)}, a model for ${category}`);
}
