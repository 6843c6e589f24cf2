import { fieldError, renameFields, unsupportedError } from '../errors.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A field that has another name here. */
interface ActingField {
  /** Its name here. */
  readonly as: string;
  /** The fields here for a value; default: the value under the name `as`. */
  readonly to?: (value: unknown) => Fields;
}

/** A field that would change the answer and that is not honored. */
export interface RefusedField {
  /** Values that ask for nothing but what happens anyway. */
  readonly harmless?: (value: unknown) => boolean;
  /** Default: that the feature is not offered. */
  readonly advice?: string;
}

/** A field that can't change an answer. */
interface IgnoredField {
  readonly ignored: true;
}

export type ForeignField = ActingField | RefusedField | IgnoredField;

/** Fields of a wire format and of well-known servers that aren't fields here, by name. */
export type ForeignFields = Readonly<Record<string, ForeignField>>;

/** A field that nothing takes the place of. */
export const notOffered: RefusedField = {};
/** Values that change nothing: texts, numbers, booleans, `[]` and `{}`. */
export const harmless = (...values: readonly unknown[]): Required<Pick<RefusedField, 'harmless'>> => ({
  harmless: (value) =>
    values.some((one) => {
      if (typeof one !== 'object' || typeof value !== 'object') return one === value;
      for (const _ in value) return false;
      return Array.isArray(one) === Array.isArray(value);
    }),
});

/** The same row for each of several fields. @param names with spaces between */
export function alike(names: string, field: ForeignField = notOffered): ForeignFields {
  return Object.fromEntries(names.split(' ').map((name) => [name, field]));
}

/** Rows of several fields that can't change an answer. @param names with spaces between */
export const ignoredFields = (names: string): ForeignFields => alike(names, { ignored: true });

/** The fields that a schema doesn't have itself. */
export function foreignTo({ shape }: { readonly shape: object }, fields: ForeignFields): ForeignFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !Object.hasOwn(shape, name)));
}

/**
 * Reads a body with its foreign fields under their names here; errors name the fields that were given.
 * @param read gets what the fields of the body are called there, by their names here
 * @throws InferenceError `unsupported_feature` for a field that would change the answer and can't be honored
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
  // A client may send a million fields, so they are looked up, not listed.
  for (const [name, field] of Object.entries(fields)) {
    const value = given[name];
    if (value === undefined || value === null || 'ignored' in field) continue;
    if (!('as' in field)) {
      if (field.harmless?.(value)) continue;
      throw unsupportedError(name, `not supported, ${field.advice ?? 'this feature is not offered'}`);
    }
    for (const [meant, meaning] of Object.entries(field.to?.(value) ?? { [field.as]: value })) {
      if ((given[meant] ?? own[meant] ?? null) !== null)
        throw fieldError(name, `expected none beside ${names.get(meant) ?? meant}`);
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
