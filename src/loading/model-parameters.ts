import type { ModelInfo } from '../contracts/model.ts';
import { categories } from '../categories/registry.ts';
import { toModelParameters as toModelParametersOf, type ModelParameters } from '../server/models.ts';

/**
 * The parameters of a model, with the model's limits.
 *
 * @example
 * ```ts
 * toModelParameters(inference.models()[0]!).parameters['temperature']?.max; // 2
 * ```
 */
export const toModelParameters = (model: ModelInfo): ModelParameters =>
  toModelParametersOf(model, categories);
