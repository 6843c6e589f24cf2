import type { Dtype } from '../contracts/files.ts';
import { storedDtypes } from '../folder/graph-files.ts';
import {
  check,
  UsageError,
  type OptionTable,
  type OptionValues,
  readHubOptions,
  type HubValues,
} from './options.ts';
import { categoryNames } from '../categories/registry.ts';
import { settingsOf } from '../loading/settings.ts';
import type { ModelSettings } from './model-settings.ts';

/** Options of commands for one dtype of a model. */
export const modelChoiceTable = {
  dtype: ['<type>', `Type of the weights: auto (default), ${storedDtypes.join(', ')}.`],
  category: ['<name>', `Category of the model: auto (default, from its files), ${categoryNames.join(', ')}.`],
} as const satisfies OptionTable;

/** @throws UsageError unless the operands name one model */
export function oneModel([model, ...others]: readonly string[]): string {
  if (model !== undefined && others.length === 0) return model;
  const count = model === undefined ? 'none' : others.length + 1;
  throw new UsageError(`Expected the name of one model, got ${count}.`);
}

export function readModelChoice(
  source: string,
  { dtype, category, ...values }: OptionValues<typeof modelChoiceTable> & HubValues,
): ModelSettings {
  const { hub } = readHubOptions(values);
  const known = settingsOf(undefined);
  return {
    source,
    dtype: check('--dtype', known['dtype']!, dtype) as Dtype | undefined,
    category:
      category === 'auto'
        ? undefined
        : (check('--category', known['category']!, category) as string | undefined),
    hub,
  };
}
