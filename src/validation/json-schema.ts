import { z } from 'zod';

/** A JSON Schema, as OpenAPI 3.1 embeds it. */
export type JsonSchema = Record<string, unknown>;

export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => foldNull(jsonSchema),
  });
  return rest;
}

/** A rule for `allOf`: a field with this value requires more fields with their values. @param required names of mandatory fields; default: all */
export function needs(
  [field, value]: readonly [string, JsonSchema],
  others: Readonly<Record<string, JsonSchema>>,
  required = Object.keys(others),
): JsonSchema {
  const is = { properties: { [field]: value }, required: [field] };
  return { anyOf: [{ not: is }, { properties: others, required }] };
}

/** `anyOf: [{ type: 'number', … }, { type: 'null' }]` → `type: ['number', 'null'], …` */
function foldNull(schema: z.core.JSONSchema.BaseSchema): void {
  const [first, second, ...more] = schema.anyOf ?? [];
  if (!first || second?.type !== 'null' || more.length > 0) return;
  if (typeof first.type !== 'string' || 'enum' in first || 'const' in first) return;
  delete schema.anyOf;
  Object.assign(schema, { ...first, ...schema, type: [first.type, 'null'] });
}
