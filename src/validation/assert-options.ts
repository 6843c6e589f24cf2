import { didYouMean } from '../core/text/suggest.ts';
import { fieldError } from '../errors.ts';
import type { SettingTable } from './setting-table.ts';
import { settingsFault } from './settings-fault.ts';
import { abbreviate, describeValue } from '../core/text/quote.ts';

export interface OptionsPlace {
  /** Path of the options within the error's `param`, such as `models.assistant`; default: the root. */
  readonly path?: string;
  explainForeign?(name: string): string | undefined;
}

/** @param owner function or object that takes the options, for messages */
export function assertOptions(
  owner: string,
  table: SettingTable,
  options: unknown,
  { path = '', explainForeign }: OptionsPlace = {},
): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw fieldError(path || owner, `expected an object of settings, got ${describeValue(options)}`);
  const within = (name: string): string => (path === '' ? name : `${path}.${name}`);
  for (const [name, value] of Object.entries(options)) {
    if (Object.hasOwn(table, name)) {
      const fault = settingsFault(table[name]!, value);
      if (fault) throw fieldError(join(within(name), fault.place), fault.reason);
      continue;
    }
    const reason =
      explainForeign?.(name) ?? `${owner} has no such setting.${didYouMean(name, Object.keys(table))}`;
    throw fieldError(within(abbreviate(name)), reason);
  }
  for (const [name, schema] of Object.entries(table)) {
    const fault = Object.hasOwn(options, name) ? undefined : settingsFault(schema, undefined);
    if (fault) throw fieldError(within(name), fault.reason);
  }
}

function join(path: string, place: string): string {
  return place === '' || place.startsWith('[') ? path + place : `${path}.${place}`;
}
