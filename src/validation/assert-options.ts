import { didYouMean } from '../core/text/suggest.ts';
import { fieldError } from '../errors.ts';
import type { SettingTable } from './setting-table.ts';
import { abbreviate, describeValue } from '../core/text/quote.ts';
import { z } from 'zod';
import { firstIssue, meantFault } from './issues.ts';

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

/** @returns the path within the value, `keys[0].plan`, which may be empty, and the message */
export function settingsFault(schema: z.ZodType, value: unknown) {
  if (schema.safeParse(value).success) return undefined;
  const issue = firstIssue(schema, value);
  const { path, message } = meantFault(issue);
  const hint = issue.code === 'unrecognized_keys' ? `.${didYouMean(issue.keys[0]!, namesIn(schema))}` : '';
  return { place: toPath(path), reason: message + hint };
}

/** All member names anywhere in a value. */
function namesIn(schema: z.core.$ZodType): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return namesIn(schema.unwrap());
  if (schema instanceof z.ZodObject) {
    const inner = Object.values(schema.shape).flatMap((one) => namesIn(one as z.ZodType));
    return [...Object.keys(schema.shape), ...inner];
  }
  if (schema instanceof z.ZodRecord) return namesIn(schema.valueType);
  if (schema instanceof z.ZodArray) return namesIn(schema.element);
  return schema instanceof z.ZodUnion ? schema.options.flatMap(namesIn) : [];
}

/** `['auth', 'keys', 0]` → `auth.keys[0]` */
function toPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${abbreviate(String(part))}`,
    )
    .join('');
}
