import type { HubOptions } from '../index.ts';
import { storedDtypes, type Dtype } from '../models/graph-files.ts';
import { check } from './check.ts';
import { readHubSettings } from './hub-options.ts';
import { categoryNames } from '../categories/registry.ts';
import { settingsOf } from '../model-settings.ts';
import type { ModelSettings } from './model-settings.ts';
import type { OptionTable, OptionValues } from './options.ts';

/** Options of commands about one kind of weights of a model. */
export const modelChoiceTable = {
  dtype: {
    type: 'string',
    value: '<type>',
    description: `Type of the weights: auto (default), ${storedDtypes.join(', ')}.`,
  },
  category: {
    type: 'string',
    value: '<name>',
    description: `Category of the model: auto (default, from its files), ${categoryNames.join(', ')}.`,
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
  const known = settingsOf(undefined);
  return {
    source,
    dtype: check('--dtype', known['dtype']!, dtype) as Dtype | undefined,
    category:
      category === 'auto'
        ? undefined
        : (check('--category', known['category']!, category) as string | undefined),
    hub: Object.keys(hub).length > 0 ? hub : undefined,
  };
}
