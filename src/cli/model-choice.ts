import type { HubOptions } from '../index.ts';
import { storedDtypes } from '../models/graph-files.ts';
import { check } from './check.ts';
import { readHubSettings } from './hub-options.ts';
import { categories, modelSchema } from '../model-settings.ts';
import type { ModelSettings } from './model-settings.ts';
import type { OptionTable, OptionValues } from './options.ts';

/** Options of commands about one kind of weights of a model. */
export const modelChoiceTable = {
  dtype: {
    type: 'string',
    value: '<type>',
    description: `Which weights: auto (default), ${storedDtypes.join(', ')}.`,
  },
  category: {
    type: 'string',
    value: '<name>',
    description: `What the model does: auto (default, its files show it), ${categories.join(', ')}.`,
  },
} as const satisfies OptionTable;

/**
 * Puts together which model is meant.
 *
 * @throws UsageError
 */
export function readModelChoice(
  source: string,
  { dtype, category }: OptionValues<typeof modelChoiceTable>,
  hub: HubOptions,
): ModelSettings {
  readHubSettings(hub);
  const { shape } = modelSchema;
  return {
    source,
    dtype: check('--dtype', shape.dtype, dtype),
    category: category === 'auto' ? undefined : check('--category', shape.category, category),
    hub: Object.keys(hub).length > 0 ? hub : undefined,
  };
}
