import type { JsonSchema } from '../validation/json-schema.ts';

const longestName = 64;

/** Fields of answers, which clients send back within a conversation. */
const ofAnswers = new Set(['annotations', 'citations', 'logprobs', 'status', 'summary']);

/**
 * Paths of the fields within a value that no schema of it has.
 * @param budget names and items that may be read; counted down
 */
export function* namesWithin(
  schemas: readonly JsonSchema[],
  value: unknown,
  path: string,
  budget: { names: number },
): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  const options = schemas.flatMap(optionsOf);
  if (Array.isArray(value)) {
    const items = options.flatMap(({ items: own }) => (own === undefined ? [] : [own as JsonSchema]));
    if (items.length === 0) return;
    for (const [index, item] of value.entries()) {
      if (budget.names-- <= 0) return;
      yield* namesWithin(items, item, `${path}[${index}]`, budget);
    }
    return;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  const shapes = options.filter((option) => fits(option, fields)).map(propertiesOf);
  if (shapes.length === 0 || shapes.includes(undefined)) return;
  for (const name in fields) {
    if (budget.names-- <= 0) return;
    const known = shapes.flatMap((shape) => (Object.hasOwn(shape!, name) ? [shape![name]!] : []));
    const within = `${path}.${name.slice(0, longestName)}`;
    if (known.length > 0) yield* namesWithin(known, fields[name], within, budget);
    else if (!ofAnswers.has(name)) yield within;
  }
}

function optionsOf(schema: JsonSchema): readonly JsonSchema[] {
  const options = (schema['anyOf'] ?? schema['oneOf']) as readonly JsonSchema[] | undefined;
  return options === undefined ? [schema] : options.flatMap(optionsOf);
}

/** The fields of an object; none where it may have any. */
function propertiesOf({ properties }: JsonSchema): Readonly<Record<string, JsonSchema>> | undefined {
  return properties as Readonly<Record<string, JsonSchema>> | undefined;
}

/** Whether an object may be of a schema: by the fields, such as `role` and `type`, that have one of some values. */
function fits(schema: JsonSchema, fields: Readonly<Record<string, unknown>>): boolean {
  if (schema['type'] !== undefined && ![schema['type']].flat().includes('object')) return false;
  return Object.entries(propertiesOf(schema) ?? {}).every(([name, { const: only, enum: some }]) => {
    const values = only === undefined ? (some as readonly unknown[] | undefined) : [only];
    return values === undefined || typeof fields[name] !== 'string' || values.includes(fields[name]);
  });
}
