import { isSchemaObject, typeOfJson, type JsonType } from './keywords.ts';

const maxDepth = 4;

/**
 * Whether no value can match both schemas, judged by their types, their constants, and constants of properties that both
 * require (such as a discriminator). False where that is not certain.
 */
export function areDisjoint(
  a: unknown,
  b: unknown,
  resolve: (schema: unknown) => unknown,
  depth: number = maxDepth,
): boolean {
  const left = resolve(a);
  const right = resolve(b);
  if (left === false || right === false) return true;
  if (!isSchemaObject(left) || !isSchemaObject(right) || depth === 0) return false;
  const constants = constantsOf(left);
  const others = constantsOf(right);
  if (constants && others) {
    const known = new Set(constants.map((value) => JSON.stringify(value)));
    return !others.some((value) => known.has(JSON.stringify(value)));
  }
  const types = typesOf(left);
  const otherTypes = typesOf(right);
  if (types && otherTypes && !types.some((type) => otherTypes.some((other) => overlap(type, other))))
    return true;
  // A value without these properties, or of another type, would match both.
  if (!isOnlyObject(types) || !isOnlyObject(otherTypes)) return false;
  const shared = requiredOf(left).filter((name) => requiredOf(right).includes(name));
  return shared.some((name) =>
    areDisjoint(propertyOf(left, name), propertyOf(right, name), resolve, depth - 1),
  );
}

function constantsOf(schema: Readonly<Record<string, unknown>>): readonly unknown[] | undefined {
  if ('const' in schema) return [schema['const']];
  return Array.isArray(schema['enum']) ? schema['enum'] : undefined;
}

function typesOf(schema: Readonly<Record<string, unknown>>): readonly JsonType[] | undefined {
  const constants = constantsOf(schema);
  if (constants) return constants.map(typeOfJson);
  const { type } = schema;
  if (typeof type === 'string') return [type as JsonType];
  return Array.isArray(type) ? (type as JsonType[]) : undefined;
}

function isOnlyObject(types: readonly JsonType[] | undefined): boolean {
  return types !== undefined && types.every((type) => type === 'object');
}

function overlap(a: JsonType, b: JsonType): boolean {
  return a === b || (a === 'integer' && b === 'number') || (a === 'number' && b === 'integer');
}

function requiredOf(schema: Readonly<Record<string, unknown>>): readonly unknown[] {
  return Array.isArray(schema['required']) ? schema['required'] : [];
}

function propertyOf(schema: Readonly<Record<string, unknown>>, name: unknown): unknown {
  const properties = schema['properties'];
  return isSchemaObject(properties) && Object.hasOwn(properties, String(name))
    ? properties[String(name)]
    : true;
}
