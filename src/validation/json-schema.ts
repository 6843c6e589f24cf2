import { z } from 'zod';

/** A JSON Schema, as OpenAPI 3.1 embeds it. */
export type JsonSchema = Record<string, unknown>;

/** The JSON Schema of what a client may send or gets. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => foldNull(jsonSchema),
  });
  return rest;
}

/** `anyOf: [{ type: 'number', … }, { type: 'null' }]` → `type: ['number', 'null'], …` */
function foldNull(schema: z.core.JSONSchema.BaseSchema): void {
  const [first, second, ...more] = schema.anyOf ?? [];
  if (!first || second?.type !== 'null' || more.length > 0) return;
  if (typeof first.type !== 'string' || 'enum' in first || 'const' in first) return;
  delete schema.anyOf;
  Object.assign(schema, { ...first, ...schema, type: [first.type, 'null'] });
}
