import { writeExact } from '../../text/exact-json.ts';
import { abbreviate } from '../../text/quote.ts';
import type { Bounds } from '../languages/expression.ts';
import { isSchemaObject, typeOfValue, type Schema } from './json-types.ts';

const jsonTypes = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

/** Types as bits; a number is an integer or a fraction. */
export const typeBits = {
  null: 1,
  boolean: 2,
  integer: 4,
  fraction: 8,
  string: 16,
  array: 32,
  object: 64,
} as const;

export const numberBits = typeBits.integer | typeBits.fraction;
export const allTypes = 127;

const keywordsOf = {
  object:
    'properties patternProperties additionalProperties propertyNames required minProperties maxProperties',
  array: 'items prefixItems additionalItems contains minItems maxItems uniqueItems',
  string: 'minLength maxLength pattern format',
  number: 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf',
};

/** Keywords that apply to values of one type, with the type. */
export const keywordTypes: ReadonlyMap<string, number> = new Map(
  Object.entries(keywordsOf).flatMap(([type, keywords]) =>
    keywords.split(' ').map((keyword) => [keyword, typesOfKeyword(type, '')] as const),
  ),
);

export function typeBitsOf(value: unknown): number {
  const type = typeOfValue(value);
  return typeBits[type === 'number' ? 'fraction' : type];
}

/** The values of `type`, as bits. */
export function typesOfKeyword(value: unknown, path: string): number {
  let bits = 0;
  for (const type of Array.isArray(value) ? (value as unknown[]) : [value]) {
    if (type === 'number') bits |= numberBits;
    else if (typeof type === 'string' && jsonTypes.includes(type))
      bits |= typeBits[type as keyof typeof typeBits];
    else throw schemaFault(path, `expected ${jsonTypes.join(', ')}, got ${quoted(type)}`);
  }
  return bits;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (!isSchemaObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

/** Equal values have equal texts, independent of the order of their properties. */
export function canonicalText(value: unknown): string {
  return writeExact(sorted(value));
}

export function readCount(schema: Schema, keyword: string, path: string, fallback: number): number {
  const value = schema[keyword];
  if (value === undefined) return fallback;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  throw schemaFault(`${path}.${keyword}`, 'expected a non-negative integer');
}

/** The bounds of `Items` and the like that all schemas allow. */
export function readCounts(
  schemas: readonly { readonly schema: Schema; readonly path: string }[],
  kind: 'Items' | 'Length' | 'Properties',
): Bounds {
  return {
    min: Math.max(0, ...schemas.map(({ schema, path }) => readCount(schema, `min${kind}`, path, 0))),
    max: Math.min(...schemas.map(({ schema, path }) => readCount(schema, `max${kind}`, path, Infinity))),
  };
}

export function readNames(value: unknown, path: string): string[] {
  if (value === undefined || typeof value === 'boolean') return [];
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return [...new Set(value)];
  throw schemaFault(path, 'expected a list of names');
}

export function readSchemas(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value) || value.length === 0) throw schemaFault(path, 'expected a list of schemas');
  if (value.length > maxAlternatives) throw schemaFault(path, `expected at most ${maxAlternatives} schemas`);
  return value;
}

const maxAlternatives = 256;

export function readSchemaMap(value: unknown, path: string): Schema {
  if (value === undefined) return {};
  if (isSchemaObject(value)) return value;
  throw schemaFault(path, 'expected an object of schemas');
}

/** Schemas of the first items and of the items after them, in both spellings. */
export function itemSchemas(schema: Schema): {
  readonly heads: readonly unknown[];
  readonly rest: unknown;
  readonly restKeyword: string;
} {
  const { prefixItems, items, additionalItems } = schema;
  if (prefixItems === undefined && Array.isArray(items))
    return { heads: items, rest: additionalItems ?? true, restKeyword: 'additionalItems' };
  const heads = Array.isArray(prefixItems) ? prefixItems : [];
  return { heads, rest: items ?? true, restKeyword: 'items' };
}

const maxQuoted = 80;

/** The caller's text, truncated for a message. */
export function quoted(value: unknown): string {
  return abbreviate(value === undefined ? 'undefined' : writeExact(value), maxQuoted);
}

const maxPath = 160;

/** A schema error, with a path such as `schema.properties.age.minimum`. */
export function schemaFault(path: string, message: string): RangeError {
  const shown = path.length > maxPath ? `${path.slice(0, maxPath / 2)}…${path.slice(-maxPath / 2)}` : path;
  return new RangeError(`${shown}: ${message}`);
}

/** Keywords without constraints. */
export const annotationKeywords: readonly string[] = [
  'title',
  'description',
  'default',
  'examples',
  '$comment',
  '$defs',
  'definitions',
];
const besideReference = new Set(['$ref', ...annotationKeywords]);

/** Whether a schema has no constraint except its reference. */
export function isReferenceAlone(schema: Schema): boolean {
  if (schema['$ref'] === undefined) return false;
  return Object.keys(schema).every((keyword) => besideReference.has(keyword));
}
