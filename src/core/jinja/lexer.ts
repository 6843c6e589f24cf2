import { letterEscapes } from '../text/escapes.ts';
import { TextCursor } from '../text/text-cursor.ts';
import { trimEnd, whiteSpace } from './text.ts';

/** A token of a template. `value` is decoded: a string without quotes, text without stripped white space. */
export type Token =
  | { readonly type: 'text' | 'name' | 'string' | 'operator'; readonly value: string }
  | { readonly type: 'integer'; readonly value: number | bigint }
  | { readonly type: 'float'; readonly value: number }
  | {
      readonly type: 'block-begin' | 'block-end' | 'print-begin' | 'print-end' | 'end';
      readonly value?: never;
    };

const space = `[${whiteSpace}]`;
const tagPattern = /\{[{%#]/g;
const rawBeginPattern = new RegExp(`\\{%([-+]?)${space}*raw${space}*(?:-%\\}${space}*|%\\})`, 'y');
const rawEndPattern = new RegExp(
  `\\{%([-+]?)${space}*endraw${space}*(?:\\+%\\}|-%\\}${space}*|%\\}\\n?)`,
  'g',
);
const commentEndPattern = new RegExp(`\\+#\\}|-#\\}${space}*|#\\}\\n?`, 'g');
const blockEndPattern = new RegExp(`\\+%\\}|-%\\}${space}*|%\\}\\n?`, 'y');
const printEndPattern = new RegExp(`-\\}\\}${space}*|\\}\\}`, 'y');
const spacePattern = new RegExp(`${space}+`, 'y');
const floatPattern = /(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?e[+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/iy;
const integerPattern = /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*/iy;
const namePattern = /[\p{L}\p{N}\p{M}_]+/uy;
const stringPattern = /'[^'\\]*(?:\\[^][^'\\]*)*'|"[^"\\]*(?:\\[^][^"\\]*)*"/y;
const operatorPattern = /\/\/|\*\*|[=!<>]=|[-+/*%~[\](){}=<>.:|,;]/y;
/** Code tokens other than operators, in the order of matching. */
const tokenKinds: readonly (readonly [pattern: RegExp, toToken: (text: string) => Token])[] = [
  [floatPattern, (text) => ({ type: 'float', value: Number(text.replaceAll('_', '')) })],
  [integerPattern, (text) => ({ type: 'integer', value: toInteger(text) })],
  [namePattern, (value) => ({ type: 'name', value })],
  [stringPattern, (text) => ({ type: 'string', value: unescape(text.slice(1, -1)) })],
];

const closers: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]);

/**
 * Tokenizes a template like Jinja2 with `trim_blocks` and `lstrip_blocks`: the line break after a block and the white
 * space before it on its line are dropped; `-` and `+` at a delimiter override that.
 */
function tokenize(template: string): Token[] {
  const source = template.replace(/\r\n?/g, '\n').replace(/\n$/, '');
  const cursor = new TextCursor(source);
  const tokens: Token[] = [];

  /** Searches for the end of a section without Jinja; returns the start of the match. */
  function search(pattern: RegExp, missing: string): RegExpExecArray {
    const found = cursor.takeMatch(pattern);
    if (found) return found;
    throw new SyntaxError(`missing ${missing}`);
  }

  /** Adds the text from `start` to the tag at `end`, stripped as the tag's sign requires. */
  function addText(start: number, end: number, sign: string | undefined, isBlock: boolean): void {
    let text = source.slice(start, end);
    if (sign === '-') text = trimEnd(text);
    else if (sign !== '+' && isBlock) {
      const lineStart = text.lastIndexOf('\n') + 1;
      const isLineStart = lineStart > 0 || start === 0 || source[start - 1] === '\n';
      if (isLineStart && trimEnd(text.slice(lineStart)) === '') text = text.slice(0, lineStart);
    }
    if (text !== '') tokens.push({ type: 'text', value: text });
  }

  function readCode(end: RegExp, endType: 'block-end' | 'print-end'): void {
    const open: string[] = [];
    for (;;) {
      cursor.takeMatch(spacePattern);
      if (open.length === 0 && cursor.takeMatch(end)) {
        tokens.push({ type: endType });
        return;
      }
      if (cursor.isAtEnd) throw new SyntaxError('unexpected end of template');
      tokens.push(readToken(cursor, open));
    }
  }

  while (!cursor.isAtEnd) {
    const start = cursor.index;
    const tag = cursor.takeMatch(tagPattern);
    if (!tag) {
      tokens.push({ type: 'text', value: source.slice(start) });
      break;
    }
    cursor.index = tag.index;
    const raw = cursor.takeMatch(rawBeginPattern);
    if (raw) {
      addText(start, tag.index, raw[1], true);
      const from = cursor.index;
      const end = search(rawEndPattern, 'endraw');
      addText(from, end.index, end[1], true);
      continue;
    }
    const sign = /[-+]/.exec(cursor.peek(2))?.[0];
    addText(start, tag.index, sign, tag[0] !== '{{');
    cursor.index += sign === undefined ? 2 : 3;
    if (tag[0] === '{#') {
      search(commentEndPattern, 'end of comment');
    } else {
      const isBlock = tag[0] === '{%';
      tokens.push({ type: isBlock ? 'block-begin' : 'print-begin' });
      if (isBlock) readCode(blockEndPattern, 'block-end');
      else readCode(printEndPattern, 'print-end');
    }
  }
  tokens.push({ type: 'end' });
  return tokens;
}

function readToken(cursor: TextCursor, open: string[]): Token {
  const isAfterDot = cursor.peek(-1) === '.';
  for (const [pattern, toToken] of tokenKinds) {
    const found = isAfterDot && pattern === floatPattern ? undefined : cursor.takeMatch(pattern);
    if (found) return toToken(found[0]);
  }
  const operator = cursor.takeMatch(operatorPattern)?.[0];
  if (operator === undefined) throw new SyntaxError(`unexpected character ${cursor.peek()}`);
  const closer = closers.get(operator);
  if (closer !== undefined) open.push(closer);
  else if (/^[)\]}]$/.test(operator) && open.pop() !== operator) {
    throw new SyntaxError(`unexpected '${operator}'`);
  }
  return { type: 'operator', value: operator };
}

function toInteger(text: string): number | bigint {
  const value = BigInt(text.replaceAll('_', ''));
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

const escapePattern =
  /\\\n|\\([0-7]{1,3})|\\[xuU]((?<=x)[\da-fA-F]{2}|(?<=u)[\da-fA-F]{4}|(?<=U)[\da-fA-F]{8})|\\([^])/g;

/** Decodes Python's escapes; a backslash before any other character stays. */
function unescape(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(escapePattern, (whole: string, octal?: string, hex?: string, letter?: string) => {
    if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (letter === undefined) return '';
    if (/[xuUN]/.test(letter)) throw new SyntaxError(`unreadable escape ${whole}`);
    return letterEscapes.get(letter) ?? (/['"\\]/.test(letter) ? letter : whole);
  });
}

export class TokenReader {
  /** Names of variables read so far, in source order. */
  readonly names: string[] = [];
  readonly #tokens: readonly Token[];
  #index = 0;

  constructor(source: string) {
    this.#tokens = tokenize(source);
  }

  get next(): Token {
    return this.#tokens[this.#index]!;
  }

  get after(): Token | undefined {
    return this.#tokens[this.#index + 1];
  }

  take(): Token {
    return this.#tokens[this.#index++]!;
  }

  is(type: Token['type'], ...values: readonly string[]): boolean {
    const { type: found, value } = this.next;
    return found === type && (values.length === 0 || values.includes(String(value)));
  }

  /** Consumes the next token if it matches. */
  skip(type: Token['type'], ...values: readonly string[]): boolean {
    if (!this.is(type, ...values)) return false;
    this.#index++;
    return true;
  }

  expect(type: Token['type'], ...values: readonly string[]): string {
    if (!this.is(type, ...values)) throw this.unexpected(values[0] ?? type);
    return String(this.take().value);
  }

  unexpected(wanted?: string): SyntaxError {
    const { type, value } = this.next;
    const found = value === undefined ? type : `'${String(value).slice(0, 40)}'`;
    return new SyntaxError(`unexpected ${found}${wanted === undefined ? '' : `, expected ${wanted}`}`);
  }
}
