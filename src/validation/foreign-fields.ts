import { fieldError, renameFields, unsupportedError } from '../errors.ts';

type Fields = Readonly<Record<string, unknown>>;

interface ActingField {
  readonly as: string;
  /** Converts a value to fields here; default: the value under the name `as`. */
  readonly to?: (value: unknown) => Fields;
}

/** An unsupported field that would change the answer. */
export interface RefusedField {
  /** Values that have no effect anyway. */
  readonly harmless?: (value: unknown) => boolean;
  /** Default: the feature is not offered. */
  readonly advice?: string;
}

interface IgnoredField {
  readonly ignored: true;
}

export type ForeignField = ActingField | RefusedField | IgnoredField;

/** Fields of OpenAI's API and popular servers that this API doesn't have, by name. */
export type ForeignFields = Readonly<Record<string, ForeignField>>;

/** A field without a replacement. */
export const notOffered: RefusedField = {};
/** Values without effect: texts, numbers, booleans, `[]` and `{}`. */
export const harmless = (...values: readonly unknown[]): Required<Pick<RefusedField, 'harmless'>> => ({
  harmless: (value) =>
    values.some((one) => {
      if (typeof one !== 'object' || typeof value !== 'object') return one === value;
      for (const _ in value) return false;
      return Array.isArray(one) === Array.isArray(value);
    }),
});

/** The same entry for several fields. @param names space-separated */
export function each(names: string, field: ForeignField = notOffered): ForeignFields {
  return Object.fromEntries(names.split(' ').map((name) => [name, field]));
}

export const ignoredFields = (names: string): ForeignFields => each(names, { ignored: true });

export function foreignTo({ shape }: { readonly shape: object }, fields: ForeignFields): ForeignFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !Object.hasOwn(shape, name)));
}

/**
 * Renames foreign fields; errors use the client's names.
 *
 * @param read receives the renamed body and a function that restores a field's name
 * @throws InferenceError `unsupported_feature` for an unsupported field that would change the answer
 */
export function readForeign<Read>(
  fields: ForeignFields,
  body: unknown,
  read: (body: unknown, nameOf: (field: string) => string) => Read,
): Read {
  if (typeof body !== 'object' || body === null) return read(body, (field) => field);
  const given = body as Fields;
  const own: Record<string, unknown> = {};
  const names = new Map<string, string>();
  // A client may send a million fields: look fields up instead of listing them.
  for (const [name, field] of Object.entries(fields)) {
    const value = given[name];
    if (value === undefined || value === null || 'ignored' in field) continue;
    if (!('as' in field)) {
      if (field.harmless?.(value)) continue;
      throw unsupportedError(name, `not supported, ${field.advice ?? 'this feature is not offered'}`);
    }
    for (const [meant, meaning] of Object.entries(field.to?.(value) ?? { [field.as]: value })) {
      if ((given[meant] ?? own[meant] ?? null) !== null)
        throw fieldError(name, `not allowed with ${names.get(meant) ?? meant}`);
      own[meant] = meaning;
      names.set(meant, name);
    }
  }
  const nameOf = (field: string): string => names.get(field) ?? field;
  if (names.size === 0) return read(body, nameOf);
  try {
    return read(Object.assign(Object.create(given), own), nameOf);
  } catch (error) {
    throw renameFields(error, nameOf);
  }
}
