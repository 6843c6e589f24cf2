import { orderedKeys } from '../../text/exact-json.ts';
import { isSchemaObject, typeOfValue } from '../../grammar/schemas/json-types.ts';
import type { ToolDefinition } from '../messages.ts';

/** Types of JSON Schema that a value may have; any where empty. */
export type Types = readonly string[];

/** The types of a tool's parameter; `undefined` if the tool doesn't describe it. */
export function parameterTypes(tool: ToolDefinition | undefined, parameter: string): Types | undefined {
  const schema = memberSchema(tool?.parameters, parameter, tool?.parameters);
  return schema === undefined ? undefined : typesOf(schema, tool?.parameters);
}

/** The schema of a member, or of the items of a list, which are called `item`. */
export function memberSchema(schema: unknown, name: string, root: unknown, depth = 0): unknown {
  const own = resolved(schema, root);
  if (own === undefined || depth > maxSchemaDepth) return undefined;
  const { properties, patternProperties, additionalProperties, items, anyOf, oneOf, allOf } = own;
  if (isSchemaObject(properties) && Object.hasOwn(properties, name)) return properties[name];
  if (isSchemaObject(additionalProperties) && patternProperties === undefined) return additionalProperties;
  if (name === 'item' && items !== undefined) return items;
  const parts = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  const found = parts.map((part) => memberSchema(part, name, root, depth + 1));
  return found.find((member) => member !== undefined);
}

export function parameterNames(tool: ToolDefinition | undefined): readonly string[] {
  const properties = tool?.parameters?.['properties'];
  return isSchemaObject(properties) ? orderedKeys(properties) : [];
}

export function areText(types: Types): boolean {
  return types.length > 0 && types.every((type) => type === 'string');
}

/** Templates written in Jinja show these values as Python does. */
export const pythonWords: ReadonlyMap<string, string> = new Map(
  Object.entries({ True: 'true', False: 'false', None: 'null' }),
);

/** Schemas that contain themselves would never end. */
const maxSchemaDepth = 8;

/** The types that a schema allows; empty if it doesn't restrict them. */
export function typesOf(schema: unknown, root: unknown, depth = 0): Types {
  const own = resolved(schema, root);
  if (own === undefined || depth > maxSchemaDepth) return [];
  const { type, enum: values, const: value, anyOf, oneOf, allOf } = own;
  if (typeof type === 'string') return [nativeTypes.get(type) ?? type];
  if (Array.isArray(type)) return type.filter((name) => typeof name === 'string');
  if (Array.isArray(values)) return [...new Set(values.map(typeOfValue))];
  if (value !== undefined) return [typeOfValue(value)];
  const of = (part: unknown): Types => typesOf(part, root, depth + 1);
  const alternatives: unknown = anyOf ?? oneOf;
  if (Array.isArray(alternatives)) {
    const types = alternatives.map(of);
    if (types.every((some) => some.length > 0)) return [...new Set(types.flat())];
  }
  return Array.isArray(allOf) ? (allOf.map(of).find((types) => types.length > 0) ?? []) : [];
}

/** Names that programs write for the types of JSON Schema. */
const nativeTypes = new Map(
  Object.entries({
    str: 'string',
    int: 'integer',
    float: 'number',
    double: 'number',
    bool: 'boolean',
    list: 'array',
    dict: 'object',
  }),
);

/** A schema with its reference resolved; `undefined` if it isn't an object. */
function resolved(schema: unknown, root: unknown): Readonly<Record<string, unknown>> | undefined {
  let own = schema;
  for (let depth = 0; isSchemaObject(own) && typeof own['$ref'] === 'string'; depth++) {
    const [start, ...keys] = own['$ref'].split('/');
    if (start !== '#' || depth > maxSchemaDepth) return undefined;
    own = keys.reduce<unknown>(
      (target, key) => (isSchemaObject(target) && Object.hasOwn(target, key) ? target[key] : undefined),
      root,
    );
  }
  return isSchemaObject(own) ? own : undefined;
}

/** A number or constant as JSON text. Digits stay as they are, so that large integers keep them all. */
export function toJsonWord(word: string): string | null {
  const constant = pythonWords.get(word) ?? word;
  if (['true', 'false', 'null'].includes(constant)) return constant;
  const number = /^\+?(-?)0*(\d[\d_]*)?(?:\.(\d*))?(e[+-]?\d+)?$/i.exec(word);
  if (number === null || !/\d/.test(word) || !Number.isFinite(Number(word.replaceAll('_', '')))) return null;
  const [, sign = '', integer = '0', fraction = '', exponent = ''] = number;
  return `${sign}${integer.replaceAll('_', '')}${fraction === '' ? '' : `.${fraction}`}${exponent}`;
}
