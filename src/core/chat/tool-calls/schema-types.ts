import type { ToolDefinition } from '../messages.ts';

type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'object' | 'array';

/** What a tool's schema says about one of its parameters; `undefined` where it says nothing. */
export function parameterSchema(tool: ToolDefinition | undefined, parameter: string): unknown {
  const properties = tool?.parameters?.['properties'];
  return isRecord(properties) && Object.hasOwn(properties, parameter) ? properties[parameter] : undefined;
}

/** What a schema says about a member, or about the items of a list. */
export function memberSchema(schema: unknown, name: string): unknown {
  if (!isRecord(schema)) return undefined;
  const { properties, items } = schema;
  if (isRecord(properties) && Object.hasOwn(properties, name)) return properties[name];
  return name === 'item' ? items : undefined;
}

/** The parameters of a tool in the order of its schema. */
export function parameterNames(tool: ToolDefinition | undefined): readonly string[] {
  const properties = tool?.parameters?.['properties'];
  return isRecord(properties) ? Object.keys(properties) : [];
}

/** Whether a schema allows values of a type. */
export function allowsType(schema: unknown, type: string): boolean {
  return typesOf(schema).includes(type);
}

/** Whether a schema allows strings and nothing else. */
export function isStringSchema(schema: unknown): boolean {
  const types = typesOf(schema);
  return types.length > 0 && types.every((type) => type === 'string');
}

/**
 * The JSON text of a value that a model wrote without quotes, read as the schema wants it: `12` is a number unless
 * the schema asks for a string. Where it allows a string beside other types, or says nothing, it is what it looks
 * like. What fits no type of the schema stays a string, so that nothing is lost.
 *
 * @example
 * ```ts
 * toJsonText('12', { type: 'string' }); // '"12"'
 * toJsonText('True', { type: 'boolean' }); // 'true'
 * ```
 */
export function toJsonText(text: string, schema: unknown, asString: string = JSON.stringify(text)): string {
  const types = typesOf(schema);
  const json = pythonWords.get(text.trim()) ?? text.trim();
  const type = typeOfJson(json);
  const isWanted =
    types.length === 0 ||
    types.some((wanted) => wanted === type || (wanted === 'number' && type === 'integer'));
  if (type === undefined || type === 'string' || !isWanted) return asString;
  // Many languages take `5.0` for no integer.
  return type === 'integer' && !types.includes('number') && types.length > 0
    ? json.replace(/\.0+$/, '')
    : json;
}

/** Templates written in Jinja show these values as Python does. */
const pythonWords: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
]);

function typeOfJson(text: string): JsonType | undefined {
  try {
    return typeOfValue(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function typeOfValue(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as 'string' | 'boolean' | 'object';
}

/** Schemas that contain themselves would go on for ever. */
const deepestSchema = 8;

function typesOf(schema: unknown, depth = 0): readonly string[] {
  if (!isRecord(schema) || depth > deepestSchema) return [];
  const { type, enum: values, const: value, anyOf, oneOf } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter((name) => typeof name === 'string');
  if (Array.isArray(values)) return values.map(typeOfValue);
  if (value !== undefined) return [typeOfValue(value)];
  const alternatives: unknown = anyOf ?? oneOf;
  if (!Array.isArray(alternatives)) return [];
  const types = alternatives.map((alternative) => typesOf(alternative, depth + 1));
  return types.some((some) => some.length === 0) ? [] : types.flat();
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A number or constant as JSON text. Digits stay as they are, so that large integers keep them all. */
export function toJsonWord(word: string): string | null {
  const constant = pythonWords.get(word) ?? word;
  if (['true', 'false', 'null'].includes(constant)) return constant;
  const number = /^\+?(-?)0*(\d[\d_]*)?(?:\.(\d*))?(e[+-]?\d+)?$/i.exec(word);
  if (number === null || !/\d/.test(word)) return null;
  const [, sign = '', integer = '0', fraction = '', exponent = ''] = number;
  return `${sign}${integer.replaceAll('_', '')}${fraction === '' ? '' : `.${fraction}`}${exponent}`;
}
