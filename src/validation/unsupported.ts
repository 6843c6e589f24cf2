import { unsupportedError } from '../errors.ts';

/** A field of a wire format that would change the answer and that is not honored. */
export interface UnsupportedField {
  /** Values that ask for nothing but what happens anyway. */
  readonly harmless?: (value: unknown) => boolean;
  /** Default: that the feature is not offered. */
  readonly advice?: string;
}

/** A field that nothing takes the place of. */
export const notOffered: UnsupportedField = {};

/** Fields of a wire format and of well-known servers that would change the answer, and that are not honored, by name. */
export type UnsupportedFields = Readonly<Record<string, UnsupportedField>>;

/** @throws InferenceError `unsupported_feature` for a field that would change the answer and can't be honored */
export function assertNoneOf(fields: UnsupportedFields, body: unknown): void {
  if (typeof body !== 'object' || body === null) return;
  // A client may send a million fields, so they are looked up, not listed.
  for (const [name, { harmless, advice = 'this feature is not offered' }] of Object.entries(fields)) {
    const value: unknown = (body as Record<string, unknown>)[name];
    if (value === undefined || value === null || harmless?.(value)) continue;
    throw unsupportedError(name, `not supported, ${advice}`);
  }
}
