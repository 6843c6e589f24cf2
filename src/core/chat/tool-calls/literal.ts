import { hexEscapeLengths, letterEscapes } from '../../text/escapes.ts';
import type { AnswerInput, Reading } from './answer-input.ts';
import { toJsonWord } from './schema-types.ts';

/** Notation of literal values, beside numbers, `[…]`, `{…}`, `true`, `false` and `null`. */
export interface LiteralDialect {
  /** Marks on both sides of a string that may hold escapes. */
  readonly quotes: readonly string[];
  /** Marks on both sides of a string in which everything else stands for itself. */
  readonly rawQuotes: readonly string[];
  /** Whether keys may stand without quotes. */
  readonly hasBareKeys: boolean;
  /** Whether a text without quotes that is no other value is a string. Default false. */
  readonly hasBareStrings?: boolean | undefined;
}

export const pythonLiterals: LiteralDialect = {
  quotes: ['"""', "'''", '"', "'"],
  rawQuotes: [],
  hasBareKeys: false,
};

const deepestNesting = 32;
const longestWord = 64;

/**
 * Reads one literal value and returns it as JSON text; `null` if there is none, or one that nests deeper than 32
 * levels. What was read of it is held.
 */
export function* readLiteral(input: AnswerInput, dialect: LiteralDialect, depth = 0): Reading<string | null> {
  const { quotes, rawQuotes } = dialect;
  const start = (yield* input.takeAny([...quotes, ...rawQuotes, '[', '(', '{'])) ?? '';
  if (rawQuotes.includes(start)) return yield* readRawString(input, start);
  if (quotes.includes(start)) return yield* readString(input, start);
  if (start === '') return yield* readWord(input, dialect);
  if (depth === deepestNesting) return null;
  return start === '{'
    ? yield* readObject(input, dialect, depth)
    : yield* readList(input, dialect, depth, start);
}

/** Reads a value that has no marks around it. */
function* readWord(input: AnswerInput, { hasBareStrings = false }: LiteralDialect): Reading<string | null> {
  if (!hasBareStrings) return toJsonWord(yield* input.takeWhile((unit) => /[\w.+-]/.test(unit), longestWord));
  const text = (yield* input.takeWhile((unit) => !/[,{}[\]<>|"\n]/.test(unit))).trim();
  return text === '' ? null : (toJsonWord(text) ?? JSON.stringify(text));
}

/**
 * Reads items with commas between them up to the mark that closes them; says how many commas there were, `null` where an item
 * or a mark is missing.
 */
export function* readItems(
  input: AnswerInput,
  close: string,
  readItem: () => Reading<boolean>,
): Reading<number | null> {
  for (let commas = 0; ; commas++) {
    yield* input.takeSpace();
    if ((yield* input.takeAny([close])) !== null) return commas;
    if (!(yield* readItem())) return null;
    yield* input.takeSpace();
    const mark = yield* input.takeAny([',', close]);
    if (mark !== ',') return mark === null ? null : commas;
  }
}

function* readList(
  input: AnswerInput,
  dialect: LiteralDialect,
  depth: number,
  start: string,
): Reading<string | null> {
  const close = start === '[' ? ']' : start === '{' ? '}' : ')';
  const items: string[] = [];
  const commas = yield* readItems(input, close, function* () {
    const item = yield* readLiteral(input, dialect, depth + 1);
    items.push(item ?? '');
    return item !== null;
  });
  if (commas === null) return null;
  // One value in parentheses is the value itself.
  return start === '(' && commas === 0 && items.length === 1 ? items[0]! : `[${items.join(', ')}]`;
}

/** Reads a dictionary; Python's set becomes a list. */
function* readObject(input: AnswerInput, dialect: LiteralDialect, depth: number): Reading<string | null> {
  const members: string[] = [];
  let isSet = false;
  const { length } = input.held;
  const commas = yield* readItems(input, '}', function* () {
    const key = yield* readKey(input, dialect);
    yield* input.takeSpace();
    if (key === null || (yield* input.takeAny([':'])) === null) {
      isSet = members.length === 0 && !dialect.hasBareKeys;
      return false;
    }
    yield* input.takeSpace();
    const value = yield* readLiteral(input, dialect, depth + 1);
    members.push(`${key}: ${value}`);
    return value !== null;
  });
  if (commas !== null) return `{${members.join(', ')}}`;
  if (!isSet) return null;
  input.putBack(input.held.length - length);
  return yield* readList(input, dialect, depth, '{');
}

const longestKey = 256;

/** Reads a key as JSON text, `null` if there is none. */
function* readKey(input: AnswerInput, dialect: LiteralDialect): Reading<string | null> {
  if ((yield* input.peekAny([...dialect.quotes, ...dialect.rawQuotes])) === null) {
    const word = dialect.hasBareKeys
      ? yield* input.takeWhile((unit) => !/[\s:,{}[\]"<>|]/.test(unit), longestKey)
      : ((yield* readLiteral(input, dialect, deepestNesting)) ?? '');
    return word === '' ? null : JSON.stringify(word);
  }
  return yield* readLiteral(input, dialect, deepestNesting);
}

function* readRawString(input: AnswerInput, quote: string): Reading<string | null> {
  const { length } = input.held;
  const isWhole = (yield* input.holdUntil([quote])) !== null;
  return isWhole ? JSON.stringify(input.held.slice(length, -quote.length)) : null;
}

function* readString(input: AnswerInput, quote: string): Reading<string | null> {
  let value = '';
  for (;;) {
    const marker = yield* input.takeUntil([quote, '\\'], (text) => {
      input.hold(text);
      value += text;
    });
    if (marker === null) return null;
    if (marker === quote) return JSON.stringify(value);
    const character = yield* readEscape(input);
    if (character === null) return null;
    value += character;
  }
}

const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ...letterEscapes,
  ...Array.from('\\\'"/', (sign) => [sign, sign] as const),
  ['\n', ''],
  ['0', '\0'],
]);

/** Reads what follows a backslash. Python keeps the backslash where it begins no escape. */
function* readEscape(input: AnswerInput): Reading<string | null> {
  if (!(yield* input.hasMore())) return null;
  const unit = input.take(1);
  const length = hexEscapeLengths[unit];
  if (length === undefined) return simpleEscapes.get(unit) ?? `\\${unit}`;
  const digits = yield* input.takeWhile((digit) => /[\da-f]/i.test(digit), length);
  const code = Number.parseInt(digits, 16);
  if (digits.length < length || code > 0x10_ff_ff) return `\\${unit}${digits}`;
  return String.fromCodePoint(code);
}
