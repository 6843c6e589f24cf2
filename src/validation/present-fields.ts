import { z } from 'zod';

type Fields = Readonly<Record<string, z.ZodType>>;

/** Fields of an object schema: names, schemas, and whether an absent one stays absent. */
interface FieldTable {
  readonly names: readonly string[];
  readonly schemas: readonly z.ZodType[];
  readonly mayLack: readonly boolean[];
}

const tables = new WeakMap<z.ZodType, FieldTable | null>();

/**
 * Parses only the fields that a body has: requests name a few of some seventy parameters, and a schema would look at
 * each.
 *
 * @returns `undefined` where the body has a fault, or where the schema is more than its fields
 */
export function parsePresentFields<T>(schema: z.ZodType<T>, body: unknown): T | undefined {
  const table = tableOf(schema);
  if (table === null || typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  const { names, schemas, mayLack } = table;
  const parsed: Record<string, unknown> = {};
  for (let index = 0; index < names.length; index++) {
    const name = names[index]!;
    const value = (body as Record<string, unknown>)[name];
    if (value === undefined && mayLack[index]) continue;
    const result = schemas[index]!.safeParse(value);
    if (!result.success) return undefined;
    parsed[name] = result.data;
  }
  return parsed as T;
}

function tableOf(schema: z.ZodType): FieldTable | null {
  const known = tables.get(schema);
  if (known !== undefined) return known;
  const table = isFieldsAlone(schema) ? fieldTable(schema.shape as Fields) : null;
  tables.set(schema, table);
  return table;
}

/** Whether nothing looks at the object as a whole: unknown fields are dropped, and no check relates fields. */
function isFieldsAlone(schema: z.ZodType): schema is z.ZodObject {
  if (!(schema instanceof z.ZodObject)) return false;
  const { catchall, checks } = schema.def as z.core.$ZodObjectDef;
  return catchall === undefined && (checks ?? []).length === 0;
}

function fieldTable(fields: Fields): FieldTable {
  const schemas = Object.values(fields);
  const mayLack = schemas.map((schema) => {
    const result = schema.safeParse(undefined);
    return result.success && result.data === undefined;
  });
  return { names: Object.keys(fields), schemas, mayLack };
}
