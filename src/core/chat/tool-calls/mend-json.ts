import { parameterNames, parameterSchema, toJsonText, toJsonWord } from './schema-types.ts';
import type { ToolDefinition } from '../messages.ts';
import { isJson } from '../../text/bounded-json.ts';
import { TextCursor } from '../../text/text-cursor.ts';

/** A value that was read from broken JSON. */
export interface MendedJson {
  readonly json: string;
  /** Index after the value. */
  readonly end: number;
}

export interface MendOptions {
  /** Tells the types of the members of the value, by their names. */
  readonly schemaOf?: ((key: string) => unknown) | undefined;
  /** Whether brackets may be left open at the end. Default false. */
  readonly mayBeOpen?: boolean | undefined;
  /** Whether it is no value, but what stands behind the bracket of a Python call: `a="x", n=1)`. Default false. */
  readonly isCall?: boolean | undefined;
}

const deepestNesting = 64;
const opposite: ReadonlyMap<string, string> = new Map([
  ['{', '}'],
  ['[', ']'],
  ['(', ')'],
]);

const space = /\s*/y;
/** Characters after the quote that ends a string; any other quote is part of it. A key ends at the next quote. */
const endOfKey = /(?:)/y;
const endOfMember = /\s*(?:[}\])]|$|,\s*(?:\}|$|(["'])(?:\\.|(?!\1)[^\n\\])*\1\s*:|[\w-]+\s*:))/y;
const endOfItem = /\s*(?:[}\]),]|$)/y;
/** Another argument, or the end of the call before another one, the list's end or a line's. */
const endOfArgument = /\s*(?:,\s*[^\s=,()[\]{}"'#]+\s*=|\)\s*(?:\n|$|\]\s*(?:\n|$)|[,;]\s*[\w.-]+\())/y;

/** Notation of members. */
const object = { close: '}', sign: ':', bareKey: /[\w-]+/y, stringEnd: endOfMember };
const call = { close: ')', sign: '=', bareKey: /[^\s=,()[\]{}"'#]+/y, stringEnd: endOfArgument };

/**
 * Reads what models write where JSON is due: Python's words, quotes, tuples and sets, keys without quotes, quotes and line
 * breaks inside of strings without backslashes, commas too many, brackets too few. Nothing is guessed about values: one that is
 * cut off, or is no literal, is none, but for text without quotes where the schema wants a string.
 */
export function mendJson(text: string, options: MendOptions = {}): MendedJson | undefined {
  const { schemaOf, mayBeOpen = false, isCall = false } = options;
  const cursor = new TextCursor(text);

  function skip(sign: string): boolean {
    cursor.takeMatch(space);
    return cursor.take(sign);
  }

  /** Whether a bracket ends here; one that is missing at the end of the text may be forgiven. */
  function closes(bracket: string): boolean {
    return skip(bracket) || (mayBeOpen && cursor.isAtEnd);
  }

  function readValue(depth: number, schema: unknown, stringEnd: RegExp): string | undefined {
    cursor.takeMatch(space);
    const sign = cursor.peek();
    if (sign === '"' || sign === "'") {
      const start = cursor.index;
      const json = readString(sign, stringEnd);
      if (json !== undefined || stringEnd !== endOfArgument) return json;
      cursor.index = start;
      return readString(sign, endOfItem);
    }
    const close = opposite.get(sign);
    if (close !== undefined && depth < deepestNesting) {
      cursor.index++;
      return sign === '{' ? readMembers(depth, object) : readItems(close, depth);
    }
    return readWord(schema);
  }

  function readString(quote: string, stringEnd: RegExp): string | undefined {
    const isTriple = cursor.take(quote.repeat(3));
    const mark = isTriple ? quote.repeat(3) : quote;
    if (!isTriple) cursor.index++;
    let value = '';
    while (!cursor.isAtEnd) {
      if (cursor.take(mark)) {
        if (isTriple || cursor.isAt(stringEnd)) return JSON.stringify(value);
        value += mark;
        continue;
      }
      const escape = cursor.takeMatch(/\\(?:u[\da-fA-F]{4}|["\\/bfnrt])/y)?.[0];
      if (escape === undefined) value += cursor.takeMatch(/[^\\"']+|\\?[^]/y)![0].replace(/^\\'/, "'");
      else value += JSON.parse(`"${escape}"`) as string;
    }
    return undefined;
  }

  function readWord(schema: unknown): string | undefined {
    const start = cursor.index;
    const word = cursor.takeMatch(/[^,}\])\n]*/y)![0].trimEnd();
    const json = toJsonWord(word) ?? (schema === undefined ? undefined : unquoted(word, schema));
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
    return `[${items.join(', ')}]`;
  }

  function readMembers(depth: number, style: typeof object): string | undefined {
    const members: string[] = [];
    let hasComma = true;
    while (!closes(style.close)) {
      if (!hasComma) return undefined;
      const start = cursor.index;
      const key = readKey(style);
      if (key === undefined || !skip(style.sign)) {
        if (members.length > 0 || style === call) return undefined;
        // Without colons it is a set.
        cursor.index = start;
        return readItems('}', depth);
      }
      const schema = depth === 0 ? schemaOf?.(key) : undefined;
      const value = readValue(depth + 1, schema, style.stringEnd);
      if (value === undefined) return undefined;
      members.push(`${JSON.stringify(key)}: ${schema === undefined ? value : retyped(value, schema)}`);
      hasComma = skip(',');
    }
    return `{${members.join(', ')}}`;
  }

  function readKey({ bareKey }: typeof object): string | undefined {
    cursor.takeMatch(space);
    const quote = cursor.peek();
    if (quote === '"' || quote === "'") {
      const json = readString(quote, endOfKey);
      return json === undefined ? undefined : (JSON.parse(json) as string);
    }
    return cursor.takeMatch(bareKey)?.[0];
  }

  const json = isCall ? readMembers(0, call) : readValue(0, undefined, endOfItem);
  return json === undefined ? undefined : { json, end: cursor.index };
}

/** Text without quotes counts only where the schema takes it for a string. */
function unquoted(word: string, schema: unknown): string | undefined {
  if (word === '' || /["'{[(]/.test(word)) return undefined;
  const json = toJsonText(word, schema);
  return json.startsWith('"') ? json : undefined;
}

/** A string that holds a number where the schema wants a number. */
function retyped(json: string, schema: unknown): string {
  if (!json.startsWith('"')) return json;
  return toJsonText(JSON.parse(json) as string, schema, json);
}

/** The JSON text of a value that a model wrote without quotes: see `toJsonText`. Lists and objects may be Python's, too. */
export function valueText(text: string, schema: unknown): string {
  const written = text.trim();
  const mended = /^[[{]/.test(written) && !isJson(written) ? mendJson(written) : undefined;
  return mended?.end === written.length
    ? toJsonText(mended.json, schema, JSON.stringify(text))
    : toJsonText(text, schema);
}

/** Whether a text that stands for a value of these types, of any where there are none, is a string of itself. */
export function isTextOf(text: string, types: readonly string[]): boolean {
  return !/^\s*<!\[CDATA\[/.test(text) && valueText(text, { type: types }).startsWith('"');
}

/** The schemas of a tool's parameters, for `mendJson`. */
export function schemasOf(tool: ToolDefinition | undefined): (key: string) => unknown {
  return (key) => parameterSchema(tool, key);
}

/** Whether arguments have all that a tool's schema requires, and nothing that it forbids. */
export function fitsTool(json: string, tool: ToolDefinition | undefined): boolean {
  const values: unknown = JSON.parse(json);
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return false;
  const { required, properties, additionalProperties } = tool?.parameters ?? {};
  if (
    Array.isArray(required) &&
    !required.every((name) => typeof name === 'string' && Object.hasOwn(values, name))
  )
    return false;
  if (additionalProperties !== false || typeof properties !== 'object' || properties === null) return true;
  return Object.keys(values).every((name) => Object.hasOwn(properties, name));
}

/** Whether arguments fit a tool and its schema names each of them. */
export function namesAll(json: string, tool: ToolDefinition): boolean {
  const names = parameterNames(tool);
  return (
    fitsTool(json, tool) && Object.keys(JSON.parse(json) as object).every((name) => names.includes(name))
  );
}
