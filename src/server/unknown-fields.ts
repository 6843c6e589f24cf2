import type { RequestBody, UploadedForm } from '../contracts/endpoint.ts';
import { getOrCreate } from '../core/get-or-create.ts';
import { fieldError } from '../errors.ts';
import { abbreviate } from '../core/text/quote.ts';
import { listOfNames } from '../http/headers.ts';
import { toJsonSchema, type JsonSchema } from '../validation/json-schema.ts';
import { namesWithin } from './unknown-names.ts';

/** Treatments of fields of a body that nobody knows. */
export const unknownFieldTreatments = ['ignore', 'refuse'] as const;

/** A client may send a million fields, with any names. */
const mostRead = 1024;
const mostReadWithin = 16_384;
const longestName = 64;

/** Of each schema once: it takes tens of milliseconds. */
const jsonSchemas = new WeakMap<object, JsonSchema>();

/**
 * The header that names the fields of a body that nothing has read.
 *
 * @throws InferenceError `invalid_request` for such a field where they are refused
 */
export function unknownFieldsHeader(
  { schema, foreign = {} }: RequestBody,
  body: unknown,
  treatment: (typeof unknownFieldTreatments)[number],
): Record<string, string> {
  const { shape = {} } = schema as { readonly shape?: object };
  const unknown = new Set<string>();
  let read = 0;
  for (const name of namesIn(body)) {
    if (read++ === mostRead) break;
    if (!Object.hasOwn(shape, name) && !Object.hasOwn(foreign, name)) unknown.add(name.slice(0, longestName));
  }
  if (!isForm(body)) {
    const known = Object.entries(body as object).filter(
      ([name, value]) => typeof value === 'object' && value !== null && Object.hasOwn(shape, name),
    );
    const budget = { names: mostReadWithin };
    for (const [name, value] of known) {
      const { properties } = getOrCreate(jsonSchemas, schema, () => toJsonSchema(schema));
      const own = (properties as Readonly<Record<string, JsonSchema>>)[name]!;
      for (const path of namesWithin([own], value, name, budget)) unknown.add(path);
    }
  }
  const [first] = unknown;
  if (first === undefined) return {};
  if (treatment === 'refuse')
    throw fieldError(abbreviate(first, 2 * longestName), 'unknown field, which this service refuses');
  const names = [...unknown].map((name) => name.replaceAll(/[^\w.$[\]-]/g, '?')).toSorted();
  return { 'x-ignored-fields': listOfNames(names) };
}

function* namesIn(body: unknown): Generator<string> {
  if (isForm(body)) for (const { name } of body.fields) yield name.replace(/\[\d*\]$/, '');
  else for (const name in body as object) yield name;
}

function isForm(body: unknown): body is UploadedForm {
  return typeof (body as UploadedForm).path === 'string' && Array.isArray((body as UploadedForm).fields);
}
