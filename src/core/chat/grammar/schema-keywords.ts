export const jsonTypes = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const;

export type JsonType = (typeof jsonTypes)[number];

/** Keywords that say nothing about a value. */
export const annotations: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'contentEncoding',
  'contentMediaType',
  '$comment',
  '$defs',
  'definitions',
]);

/** Keywords that act on one type each. */
export const keywordTypes: ReadonlyMap<string, JsonType> = new Map([
  ['properties', 'object'],
  ['required', 'object'],
  ['additionalProperties', 'object'],
  ['minProperties', 'object'],
  ['maxProperties', 'object'],
  ['items', 'array'],
  ['prefixItems', 'array'],
  ['minItems', 'array'],
  ['maxItems', 'array'],
  ['uniqueItems', 'array'],
  ['minLength', 'string'],
  ['maxLength', 'string'],
  ['pattern', 'string'],
  ['format', 'string'],
  ['minimum', 'number'],
  ['maximum', 'number'],
  ['exclusiveMinimum', 'number'],
  ['exclusiveMaximum', 'number'],
  ['multipleOf', 'number'],
]);

/** Of these a schema may have one, beside annotations. */
export const alternatives = ['$ref', 'anyOf', 'oneOf', 'allOf', 'const', 'enum'] as const;

export type Schema = Readonly<Record<string, unknown>>;

export function isSchemaObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function typeOfJson(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as JsonType;
}

/** A fault of a schema, with the place as a path such as `schema.properties.age.minimum`. */
export function schemaFault(path: string, message: string): RangeError {
  return new RangeError(`${path}: ${message}`);
}
