import { parseArgs } from 'node:util';
import { didYouMean } from '../core/text/suggest.ts';
import type { z } from 'zod';
import { orThrow } from '../errors.ts';
import { settingsFault } from '../validation/assert-options.ts';
import type { HubOptions } from '../index.ts';
import { resolveHubSettings } from '../hub/remote-model.ts';

/**
 * The name of its value in help, empty for a switch; its description; an optional letter. A value that ends with `…`
 * may be repeated.
 */
export type Option = readonly [value: string, description: string, short?: string];

/** Name, without its dashes → option. */
export type OptionTable = Readonly<Record<string, Option>>;

type ValueOf<Value extends string> = Value extends ''
  ? boolean
  : Value extends `${string}…`
    ? readonly string[]
    : string;

export type OptionValues<T extends OptionTable> = { readonly [Name in keyof T]?: ValueOf<T[Name][0]> };

export function parseOptions<T extends OptionTable>(args: readonly string[], table: T) {
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(table).map(([name, [value, , short]]) => [
        name,
        { type: value === '' ? ('boolean' as const) : ('string' as const), ...(short && { short }) },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values: Record<string, boolean | string | string[]> = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(table, token.name) ? table[token.name] : undefined;
    if (!option) throw unknownOption(token.rawName, table);
    const value = readValue(option, token);
    if (option[0].endsWith('…')) ((values[token.name] ??= []) as string[]).push(value as string);
    else if (Object.hasOwn(values, token.name)) throw new UsageError(`--${token.name}: expected once`);
    else values[token.name] = value;
  }
  return { values: values as OptionValues<T>, positionals };
}

interface OptionToken {
  readonly name: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function readValue([placeholder]: Option, { name, value, inlineValue }: OptionToken): boolean | string {
  const expected = placeholder.replace('…', '');
  if (expected === '') {
    if (value !== undefined)
      throw new UsageError(`--${name}: expected no value, got ${JSON.stringify(value)}`);
    return true;
  }
  if (value === undefined || (value === '' && !inlineValue))
    throw new UsageError(`--${name}: expected ${expected} after it`);
  if (value.startsWith('-') && !inlineValue)
    throw new UsageError(
      `--${name}: expected ${expected}, got ${value}; write --${name}=${value} to pass it`,
    );
  if (value === '') throw new UsageError(`--${name}: expected ${expected}, got nothing`);
  return value;
}

function unknownOption(given: string, table: OptionTable): UsageError {
  const known = Object.keys(table).map((name) => `--${name}`);
  return new UsageError(`There is no option ${given}.${didYouMean(given, known)}`);
}

export function parseInteger(
  label: string,
  text: string,
  { min, max = Number.MAX_SAFE_INTEGER }: { min: number; max?: number },
): number {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new UsageError(`${label}: expected an integer ${range}, got ${JSON.stringify(text)}`);
}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const maxTimerMs = 2 ** 31 - 1;

/**
 * Parses a duration such as `500ms`, `10s`, `2m`, or seconds without a unit.
 * @returns milliseconds
 */
export function parseDuration(label: string, text: string): number {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  const durationMs = Number(amount) * unitsMs[unit]!;
  if (durationMs <= maxTimerMs) return durationMs;
  throw new UsageError(`${label}: expected a time such as 500ms, 10s or 2m, got ${JSON.stringify(text)}`);
}

/** The command line or its config file is invalid; the message explains why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Reports an unreadable file in an option; for `catch` of a promise. @param option with its dashes */
export function unreadable(option: string, path: string): (cause: Error) => never {
  return (cause) => {
    throw new UsageError(`${option}: ${path} can't be read: ${cause.message}`, { cause });
  };
}

/** Option → the path of its setting, and how to parse its value. */
export type SettingOptions = Readonly<
  Record<string, readonly [path: string, read?: (label: string, value: never) => unknown]>
>;

/** Overrides settings by options. @returns also the options by the paths of their settings */
export function overlay<Settings extends object>(
  settings: Settings,
  table: SettingOptions,
  values: OptionValues<OptionTable>,
) {
  const overlaid = { ...settings } as Record<string, unknown>;
  const names = new Map<string, string>();
  for (const [option, [path, read]] of Object.entries(table)) {
    const given = values[option];
    if (given === undefined) continue;
    const label = `--${option}`;
    const value = read ? read(label, given as never) : given;
    const [name = '', part] = path.split('.');
    overlaid[name] = part === undefined ? value : { ...(overlaid[name] as object), [part]: value };
    names.set(path, label);
  }
  return { settings: overlaid as Settings, names };
}

/** Runs work whose errors begin with the path of a setting, and replaces it by the name that the user used. */
export function inOption<T>(nameOf: (path: string) => string, work: () => T): T {
  return orThrow(work, (cause) => {
    const [path, ...reason] = cause.message.split(': ');
    return new UsageError([nameOf(path!), ...reason].join(': '), { cause });
  });
}

export function check<T>(label: string, schema: z.ZodType<T>, value: unknown): T {
  const fault = settingsFault(schema, value);
  if (fault === undefined) return schema.parse(value);
  throw new UsageError([label, fault.place, fault.reason].filter(Boolean).join(': '));
}

/** Options of every command that finds models. */
export const hubOptionTable = {
  offline: ['', 'Use only downloaded models; also SLASHV1_OFFLINE=1.'],
  'cache-dir': ['<folder>', 'Folder of downloaded models; also SLASHV1_CACHE or HF_HUB_CACHE.'],
  endpoint: ['<url>', 'Address of Hugging Face or a mirror; also HF_ENDPOINT.'],
} as const satisfies OptionTable;

export const hubSettingOptions = {
  offline: ['hub.offline'],
  'cache-dir': ['hub.cacheFolder'],
  endpoint: ['hub.endpoint'],
} as const;

/** Variables of settings without an option, for messages. */
export const hubVariables: Readonly<Record<string, string>> = {
  'hub.endpoint': 'HF_ENDPOINT',
  'hub.token': 'HF_TOKEN',
};

export type HubValues = OptionValues<typeof hubOptionTable>;

/** The settings of the given options, `undefined` without any, and the resolved settings. */
export function readHubOptions(values: HubValues) {
  const { settings, names } = overlay<{ hub?: HubOptions }>({}, hubSettingOptions, values);
  const resolved = inOption(
    (path) => names.get(path) ?? hubVariables[path]!,
    () => resolveHubSettings(settings.hub),
  );
  return { hub: settings.hub, cacheFolder: resolved.cacheFolder };
}
