import { fieldError } from '../errors.ts';

/** A field of a wire format that would change the answer and that is not honoured. */
export interface UnsupportedField {
  /** Values that ask for nothing but what happens anyway. */
  readonly harmless?: (value: unknown) => boolean;
  readonly advice: string;
}

/** Advice if there is no alternative. */
export const notOffered = 'this feature is not offered';

/**
 * @throws InferenceError `unsupported_feature` for a field that would change the answer and can't be honoured
 */
export function assertNoneOf(fields: ReadonlyMap<string, UnsupportedField>, body: unknown): void {
  if (typeof body !== 'object' || body === null) return;
  // A client may send a million fields, so they are looked up, not listed.
  for (const [name, { harmless, advice }] of fields) {
    const value: unknown = (body as Record<string, unknown>)[name];
    if (value === undefined || value === null || harmless?.(value)) continue;
    throw fieldError(name, `not supported, ${advice}`, { code: 'unsupported_feature' });
  }
}
