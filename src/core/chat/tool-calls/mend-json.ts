import { isSchemaObject, typeOfValue } from '../../grammar/schemas/json-types.ts';
import { letterEscapes } from '../../text/escapes.ts';
import { orElse } from '../../text/or-else.ts';
import {
  areText,
  parameterNames,
  parameterTypes,
  pythonWords,
  toJsonWord,
  type Types,
} from './schema-types.ts';
import type { ToolDefinition } from '../messages.ts';
import { isJson } from '../../text/bounded-json.ts';
import { TextCursor } from '../../text/text-cursor.ts';
import type { ItemsNotation } from './notation.ts';

/** A value that was read from broken JSON. */
export interface MendedJson {
  readonly json: string;
  readonly end: number;
}

interface MendOptions {
  /** Has the types of the value's members and, for a call, the names of values without a key. */
  readonly tool?: ToolDefinition | undefined;
  /** Whether brackets may be left open at the end. Default false. */
  readonly mayBeOpen?: boolean | undefined;
  /** Notation of a call with literals, to read its arguments instead of a value: `a="x", n=1)`, or `a:<|"|>x<|"|>,n:1}`. */
  readonly call?: Pick<ItemsNotation, 'first' | 'equals' | 'mark'> | undefined;
}

const maxNesting = 64;
const opposite = new Map(Object.entries({ '{': '}', '[': ']', '(': ')' }));

const space = /\s*/y;
/**
 * Characters after the quote that ends a string; quotes before different characters are part of it. A key ends at the next quote.
 */
const endOfKey = /(?:)/y;
const endOfMember = /\s*(?:[}\])]|$|,\s*(?:\}|$|(["'])(?:\\.|(?!\1)[^\n\\])*\1\s*:|[\w-]+\s*:))/y;
const endOfItem = /\s*(?:[}\]),]|$)/y;
/** A further argument, or the end of the call before a further call, the end of the list or of a line. */
const endOfArgument = /\s*(?:,\s*[^\s=,()[\]{}"'#]+\s*=|\)\s*(?:\n|$|\]\s*(?:\n|$)|[,;]\s*[\w.-]+\())/y;

const object = { close: '}', sign: ':', bareKey: /[\w-]+/y, stringEnd: endOfMember };
const marked = { ...object, bareKey: /[^\s:,{}[\]"<>|]+/y };
const argument = { bareKey: /[^\s=,()[\]{}"'#]+/y, stringEnd: endOfArgument };
type MemberStyle = typeof object;

const escape = /\\(?:([\\'"/abfnrtv0\n])|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U(00[\da-fA-F]{6}))/y;
const escapes: ReadonlyMap<string, string> = new Map([
  ...letterEscapes,
  ...Array.from('\\\'"/', (sign) => [sign, sign] as const),
  ['\n', ''],
  ['0', '\0'],
]);

/**
 * Reads the broken JSON of models: Python's words, quotes, tuples and sets, keys without quotes, quotes and line
 * breaks inside of strings without backslashes, commas too many, brackets too few. Values are not guessed: a value that is cut
 * off or no literal is refused, except text without quotes if the schema has a string.
 */
export function mendJson(text: string, options: MendOptions = {}): MendedJson | undefined {
  const { tool, mayBeOpen = false, call } = options;
  const { mark = '' } = call ?? {};
  const inner = mark === '' ? object : marked;
  const cursor = new TextCursor(text);

  function skip(sign: string): boolean {
    cursor.takeMatch(space);
    return cursor.take(sign);
  }

  /** Whether a bracket closes here; at the end of the text it may be missing. */
  const closes = (bracket: string): boolean => skip(bracket) || (mayBeOpen && cursor.isAtEnd);

  function readValue(depth: number, types: Types | undefined, stringEnd: RegExp): string | undefined {
    if (isAtString()) {
      const start = cursor.index;
      const json = readString(stringEnd);
      if (json !== undefined || stringEnd !== endOfArgument) return json;
      cursor.index = start;
      return readString(endOfItem);
    }
    const sign = cursor.peek();
    const close = opposite.get(sign);
    if (close !== undefined && depth < maxNesting) {
      cursor.index++;
      return sign === '{' ? readMembers(depth, inner) : readItems(close, depth);
    }
    return readWord(types);
  }

  function isAtString(): boolean {
    cursor.takeMatch(space);
    const isMarked = mark !== '' && cursor.source.startsWith(mark, cursor.index);
    return isMarked || cursor.peek() === '"' || (cursor.peek() === "'" && mark === '');
  }

  function readString(stringEnd: RegExp): string | undefined {
    if (mark !== '' && cursor.take(mark)) {
      const [raw, ...others] = cursor.source.slice(cursor.index).split(mark, 2);
      cursor.index += raw!.length + mark.length;
      return others.length === 0 ? undefined : JSON.stringify(raw);
    }
    const quote = cursor.peek();
    const isTriple = cursor.take(quote.repeat(3));
    const ending = isTriple ? quote.repeat(3) : quote;
    if (!isTriple) cursor.index++;
    let value = '';
    while (!cursor.isAtEnd) {
      if (cursor.take(ending)) {
        if (isTriple || cursor.isAt(stringEnd)) return JSON.stringify(value);
        value += ending;
        continue;
      }
      const [, sign, ...codes] = cursor.takeMatch(escape) ?? [];
      const code = codes.find(Boolean);
      if (sign !== undefined) value += escapes.get(sign)!;
      else if (code !== undefined) value += String.fromCodePoint(Number.parseInt(code, 16));
      else value += cursor.takeMatch(/[^\\"']+|\\?[^]/y)![0];
    }
    return undefined;
  }

  function readWord(types: Types | undefined): string | undefined {
    const start = cursor.index;
    const word = cursor.takeMatch(mark === '' ? /[^,}\])\n]*/y : /[^,{}[\]<>|"\n]*/y)![0].trimEnd();
    // Text without quotes counts where strings have marks, or the schema describes the value.
    const isText = types === undefined ? mark !== '' : !/["'{[(]/.test(word);
    const json = toJsonWord(word) ?? (isText && word !== '' ? JSON.stringify(word) : undefined);
    cursor.index = start + word.length;
    // A word at the very end may be cut off.
    return cursor.isAtEnd ? undefined : json;
  }

  function readItems(close: string, depth: number): string | undefined {
    const items: string[] = [];
    let hasComma = true;
    while (!closes(close)) {
      if (!hasComma) return undefined;
      const item = readValue(depth + 1, undefined, endOfItem);
      if (item === undefined) return undefined;
      items.push(item);
      hasComma = skip(',');
    }
    // One value in parentheses is the value itself.
    return close === ')' && !hasComma && items.length === 1 ? items[0] : `[${items.join(', ')}]`;
  }

  function readMembers(depth: number, style: MemberStyle): string | undefined {
    const members: string[] = [];
    let hasComma = true;
    while (!closes(style.close)) {
      if (!hasComma) return undefined;
      const start = cursor.index;
      let key = readKey(style);
      if (key === undefined || !skip(style.sign)) {
        cursor.index = start;
        // Without colons it is a set.
        if (style.sign === ':' && members.length === 0 && !(call && depth === 0))
          return readItems('}', depth);
        key = style.sign === '=' ? parameterNames(tool)[members.length] : undefined;
        if (key === undefined) return undefined;
      }
      // Strings of Python have quotes.
      const types = depth === 0 && style.sign !== '=' ? parameterTypes(tool, key) : undefined;
      const value = readValue(depth + 1, types, style.stringEnd);
      if (value === undefined) return undefined;
      members.push(`${JSON.stringify(key)}: ${types === undefined ? value : retyped(value, types)}`);
      hasComma = skip(',');
    }
    return `{${members.join(', ')}}`;
  }

  function readKey({ bareKey }: MemberStyle): string | undefined {
    if (!isAtString() && cursor.peek() !== "'") return cursor.takeMatch(bareKey)?.[0];
    const json = readString(endOfKey);
    return json === undefined ? undefined : (JSON.parse(json) as string);
  }

  const json = call
    ? readMembers(0, {
        ...(mark === '' ? argument : marked),
        close: opposite.get(call.first.trim())!,
        sign: call.equals.string.trim(),
      })
    : readValue(0, undefined, endOfItem);
  return json === undefined ? undefined : { json, end: cursor.index };
}

/** Models write numbers and booleans as strings, and omit the quotes of strings; the schema has their types. */
function retyped(json: string, types: Types): string {
  if (!json.startsWith('"')) return areText(types) ? JSON.stringify(json) : json;
  const isString = types.length === 0 || types.includes('string');
  return isString ? json : valueText(JSON.parse(json) as string, types);
}

/**
 * The JSON text of a value that a model wrote without quotes, read by the schema: `12` is a number unless the schema has a
 * string. If the schema allows strings and further types, or has no types, the value is what it looks like. A value of no allowed
 * type stays a string, so that nothing is lost.
 */
export function valueText(text: string, types: Types, asString: string = JSON.stringify(text)): string {
  const allows = (type: string): boolean => types.length === 0 || types.includes(type);
  const json = literalIn(text.trim(), types);
  const value = orElse(() => JSON.parse(json) as unknown, undefined);
  if (typeof value === 'string' && !allows('string')) return valueText(value, types, asString);
  const type = value === undefined ? undefined : typeOfValue(value);
  if (type === undefined || type === 'string') return asString;
  if (!allows(type) && !(type === 'integer' && allows('number'))) return asString;
  // Many languages take `5.0` for no integer.
  return type === 'integer' && !allows('number') ? json.replace(/\.0+$/, '') : json;
}

/** The JSON that a text may mean: lists, objects and words may be Python's, numbers may have a plus or leading zeros. */
function literalIn(text: string, types: Types): string {
  if (isJson(text)) return text;
  const mended = /^[[{]/.test(text) ? mendJson(text) : undefined;
  if (mended?.end === text.length) return mended.json;
  // JSON that was escaped as a string
  if (/^[[{][^"]*\\"/.test(text) && types.some((type) => type === 'array' || type === 'object'))
    return orElse(() => JSON.parse(`"${text}"`) as string, text);
  const mayBeText = types.length === 0 || types.includes('string');
  return (mayBeText ? pythonWords.get(text) : toJsonWord(text)) ?? text;
}

/** Whether arguments have all that a tool's schema requires, and nothing that it forbids. */
export function fitsTool(json: string, tool: ToolDefinition | undefined): boolean {
  const values: unknown = JSON.parse(json);
  if (!isSchemaObject(values)) return false;
  const { required, properties, additionalProperties } = tool?.parameters ?? {};
  const has = (name: unknown): boolean => typeof name === 'string' && Object.hasOwn(values, name);
  if (Array.isArray(required) && !required.every(has)) return false;
  if (additionalProperties !== false || !isSchemaObject(properties)) return true;
  return Object.keys(values).every((name) => Object.hasOwn(properties, name));
}

/** Whether arguments fit a tool and its schema names each of them. */
export function namesAll(json: string, tool: ToolDefinition): boolean {
  const names = parameterNames(tool);
  return (
    fitsTool(json, tool) && Object.keys(JSON.parse(json) as object).every((name) => names.includes(name))
  );
}
