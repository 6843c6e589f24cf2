import type { RequestBody, UploadedForm } from '../contracts/endpoint.ts';
import { getOrCreate } from '../core/get-or-create.ts';
import { fieldError } from '../errors.ts';
import { abbreviate } from '../core/text/quote.ts';
import { listOfNames } from '../http/headers.ts';
import { toJsonSchema, type JsonSchema } from '../validation/json-schema.ts';

export const unknownFieldTreatments = ['ignore', 'refuse'] as const;

/** A client may send a million fields, with any names. */
const maxReadNames = 1024;
const maxReadWithin = 16_384;
const maxLength = 64;

/** Fields of answers, which clients send back within a conversation. */
const answerFields = new Set(['annotations', 'citations', 'logprobs', 'status', 'summary']);

type Properties = Readonly<Record<string, JsonSchema>>;

/** Cached per schema: conversion takes tens of milliseconds. */
const jsonSchemas = new WeakMap<object, JsonSchema>();

/** Response header with unknown fields of the body. @throws InferenceError `invalid_request` if they are rejected */
export function unknownFieldsHeader(
  { schema, foreign = {} }: RequestBody,
  body: unknown,
  treatment: (typeof unknownFieldTreatments)[number],
): Record<string, string> {
  const { shape = {} } = schema as { readonly shape?: object };
  const unknown = new Set<string>();
  const names = isForm(body)
    ? body.fields.map(({ name }) => name.replace(/\[\d*\]$/, ''))
    : Object.keys(body!);
  for (const name of names.slice(0, maxReadNames))
    if (!Object.hasOwn(shape, name) && !Object.hasOwn(foreign, name)) unknown.add(name.slice(0, maxLength));
  if (!isForm(body)) {
    const budget = { names: maxReadWithin };
    for (const [name, value] of Object.entries(body!)) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(shape, name)) continue;
      const { properties } = getOrCreate(jsonSchemas, schema, () => toJsonSchema(schema));
      for (const path of namesWithin([(properties as Properties)[name]!], value, name, budget))
        unknown.add(path);
    }
  }
  const [first] = unknown;
  if (first === undefined) return {};
  if (treatment === 'refuse')
    throw fieldError(abbreviate(first, 2 * maxLength), 'unknown field, which this service rejects');
  const shown = [...unknown].map((name) => name.replaceAll(/[^\w.$[\]-]/g, '?')).toSorted();
  return { 'x-ignored-fields': listOfNames(shown) };
}

function isForm(body: unknown): body is UploadedForm {
  return typeof (body as UploadedForm).path === 'string' && Array.isArray((body as UploadedForm).fields);
}

/** Paths of fields that no schema of the value has. @param budget max names and items to read; counted down */
function* namesWithin(
  schemas: readonly JsonSchema[],
  value: unknown,
  path: string,
  budget: { names: number },
): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  const options = schemas.flatMap(optionsOf);
  if (Array.isArray(value)) {
    const items: JsonSchema[] = [];
    for (const { items: own } of options) if (own !== undefined) items.push(own as JsonSchema);
    if (items.length === 0) return;
    for (const [index, item] of value.entries()) {
      if (budget.names-- <= 0) return;
      yield* namesWithin(items, item, `${path}[${index}]`, budget);
    }
    return;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  const shapes: Properties[] = [];
  for (const option of options) {
    if (!fits(option, fields)) continue;
    if (option.properties === undefined) return;
    shapes.push(option.properties as Properties);
  }
  if (shapes.length === 0) return;
  for (const name in fields) {
    if (budget.names-- <= 0) return;
    const known: JsonSchema[] = [];
    for (const shape of shapes) if (Object.hasOwn(shape, name)) known.push(shape[name]!);
    const within = `${path}.${name.slice(0, maxLength)}`;
    if (known.length > 0) yield* namesWithin(known, fields[name], within, budget);
    else if (!answerFields.has(name)) yield within;
  }
}

function optionsOf(schema: JsonSchema): readonly JsonSchema[] {
  const options = (schema['anyOf'] ?? schema['oneOf']) as readonly JsonSchema[] | undefined;
  return options === undefined ? [schema] : options.flatMap(optionsOf);
}

/** True if the fields with fixed values, such as `role` and `type`, match the schema. */
function fits(schema: JsonSchema, fields: Readonly<Record<string, unknown>>): boolean {
  if (schema['type'] !== undefined && ![schema['type']].flat().includes('object')) return false;
  const shape = (schema.properties as Properties | undefined) ?? {};
  for (const name in shape) {
    const { const: only, enum: some } = shape[name]!;
    const values = only === undefined ? (some as readonly unknown[] | undefined) : [only];
    if (values !== undefined && typeof fields[name] === 'string' && !values.includes(fields[name]))
      return false;
  }
  return true;
}
