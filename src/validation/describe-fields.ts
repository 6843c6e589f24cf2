import type { JsonSchema } from './json-schema.ts';

/**
 * By field name; `parent.name` takes precedence over `kind/name`, and both over the bare name. The parent is the field or schema
 * that contains the object; its kind is its first constant text, such as its `type`.
 */
export type Descriptions = Readonly<Record<string, string>>;

export function describeFields(schema: JsonSchema, parent: string, table: Descriptions): JsonSchema {
  const described: JsonSchema = { ...schema };
  for (const key of ['items', 'additionalProperties', 'anyOf', 'oneOf']) {
    const inner = schema[key] as JsonSchema | JsonSchema[] | boolean | undefined;
    if (typeof inner === 'object')
      described[key] = eachOf(inner, (one) => describeFields(one, parent, table));
  }
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  const fixed = properties.map(([, { const: only, enum: some }]) => only ?? (some as unknown[])?.[0]);
  const kind = fixed.find((value) => typeof value === 'string');
  const fields = properties.map(([name, property]) => {
    const description = table[`${parent}.${name}`] ?? table[`${kind}/${name}`] ?? table[name];
    return [name, describeFields(description ? { description, ...property } : property, name, table)];
  });
  return fields.length > 0 ? { ...described, properties: Object.fromEntries(fields) } : described;
}

function eachOf<T>(value: T | T[], change: (one: T) => T): T | T[] {
  return Array.isArray(value) ? value.map(change) : change(value);
}
