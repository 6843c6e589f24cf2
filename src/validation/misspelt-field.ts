import type { z } from 'zod';
import { suggest } from '../core/text/suggest.ts';
import { fieldError } from '../errors.ts';

const shortestName = 7;
const mostNames = 64;

/**
 * Refuses a field that is one letter away from a field of the schema. Other unknown fields are ignored: clients of
 * this wire format send many. A short name, such as `top_a`, is more often another server's field than a typing error.
 *
 * @throws InferenceError `invalid_request`
 */
export function assertNoMisspeltField(schema: z.ZodType, body: unknown): void {
  if (!('shape' in schema) || typeof body !== 'object' || body === null) return;
  const shape = schema.shape as Readonly<Record<string, unknown>>;
  let left = mostNames;
  for (const name in body) {
    if (Object.hasOwn(shape, name)) continue;
    // A client may send a million fields.
    if (left-- === 0) return;
    if (name.length < shortestName || !/^\w{1,60}$/.test(name)) continue;
    const meant = suggest(name, Object.keys(shape), 1);
    if (meant !== undefined) throw fieldError(name, `unknown field, one letter away from ${meant}`);
  }
}
