import { z } from 'zod';
import { InferenceError } from './errors.ts';
import { categories, modelSchema } from './model-settings.ts';
import { describeValue } from './validation/issues.ts';
import { settingsFault } from './validation/settings-fault.ts';

/** Entries of the catalogue are given as they are, with what they say of themselves. */
const schema = modelSchema.extend({
  license: z.string().optional(),
  parameters: z.number().optional(),
  aliases: z.array(z.string()).optional(),
});

const functions = categories.map((category) => `${category}({…})`).join(', ');

/**
 * Checks the names and types of all settings of all models; ranges are the concern of what uses them.
 *
 * @throws InferenceError `invalid_request` naming the model, the setting and the value
 */
export function assertModels(models: unknown): void {
  if (typeof models !== 'object' || models === null || Array.isArray(models)) {
    throw invalid('models', `models: expected an object of ids and models, got ${describeValue(models)}`);
  }
  for (const [id, settings] of Object.entries(models)) {
    const label = `models.${id}`;
    if (typeof settings !== 'object' || settings === null || !('category' in settings)) {
      throw invalid(label, `${label}: expected one of ${functions}, got ${describeValue(settings)}`);
    }
    const fault = settingsFault(schema, settings, Object.keys(modelSchema.shape), ['models', id]);
    if (fault !== undefined) throw invalid(label, fault);
  }
}

function invalid(param: string, message: string): InferenceError {
  return new InferenceError('invalid_request', message, { param });
}
