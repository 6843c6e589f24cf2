import { parseExact, writeExact } from '../../text/exact-json.ts';
import type { ToolDefinition } from '../messages.ts';
import type { AnswerInput, Reading } from './answer-input.ts';
import { readCallList } from './json-calls.ts';
import { pythonLiterals, readItems, readLiteral, type LiteralDialect } from './literal.ts';
import { fitsTool, mendJson, valueText } from './mend-json.ts';
import type { ItemsNotation } from './notation.ts';
import { isStringSchema, parameterNames, parameterSchema } from './schema-types.ts';

const longestName = 256;

/** Notation of calls whose values are literals: `f(a="x", n=1)`, or `f{a:<|"|>x<|"|>,n:1}`. */
export interface LiteralSyntax {
  readonly open: string;
  readonly close: string;
  /** Between a key and its value. */
  readonly sign: string;
  readonly dialect: LiteralDialect;
  /** Whether the schema tells what a value is, since strings may stand without quotes. */
  readonly isTyped: boolean;
}

export function literalSyntax({ first, equals, mark }: ItemsNotation): LiteralSyntax {
  const open = first.trim();
  return {
    open,
    close: open === '{' ? '}' : ')',
    sign: equals.string.trim(),
    dialect:
      mark === undefined
        ? pythonLiterals
        : { quotes: ['"'], rawQuotes: [mark], hasBareKeys: true, hasBareStrings: true },
    isTyped: mark !== undefined,
  };
}

/**
 * Reads calls whose arguments are literals: `[f(a="x"), g(n=1)]`, with or without the brackets, with commas, semicolons or line
 * breaks between calls. `print(f(a="x"))` is a call of `f`. A call is announced when its first argument has a name or is
 * complete, or when it ends; arguments come out one at a time.
 *
 * @param toName the function that is meant by a written name
 */
export function* readLiteralCalls(
  input: AnswerInput,
  syntax: LiteralSyntax,
  toName: (written: string) => string,
): Reading {
  yield* readCallList(input, () => readCall(input, syntax, toName));
}

function* readIdentifier(input: AnswerInput): Reading<string> {
  return yield* input.takeWhile((unit) => /[\w.:-]/.test(unit), longestName);
}

/** Reads a call; false if it is none, or was not finished. */
function* readCall(
  input: AnswerInput,
  syntax: LiteralSyntax,
  toName: (written: string) => string,
): Reading<boolean | undefined> {
  const written = yield* readIdentifier(input);
  if (written === '') return undefined;
  const inner = written === 'print' ? yield* readPrintedName(input) : '';
  const name = inner === '' ? toName(written) : inner;
  const mayBe = input.toolNamed(name) !== undefined || (input.canReadAgain && !/^[\d.-]/.test(name));
  const isCall = (yield* input.takeAny([syntax.open])) !== null && mayBe;
  const { length } = input.held;
  if (
    !isCall ||
    !((yield* readArguments(input, syntax, name)) || (yield* mendArguments(input, syntax, length, name)))
  ) {
    input.giveUp();
    return false;
  }
  input.endCall();
  if (inner !== '') {
    yield* input.dropSpace();
    yield* input.takeAny([')']);
    input.drop();
  }
  return true;
}

/** The name of the function whose result is printed, `''` where it is `print` itself that is called. */
function* readPrintedName(input: AnswerInput): Reading<string> {
  const { length } = input.held;
  if ((yield* input.takeAny(['('])) === null) return '';
  yield* input.takeSpace();
  const name = yield* readIdentifier(input);
  if (name !== '' && (yield* input.peekAny(['('])) !== null) return name;
  input.putBack(input.held.length - length);
  return '';
}

function* readArguments(
  input: AnswerInput,
  { close, sign, dialect, isTyped }: LiteralSyntax,
  name: string,
): Reading<boolean> {
  const tool = input.toolNamed(name);
  const names = parameterNames(tool);
  let count = 0;
  const commas = yield* readItems(input, close, function* () {
    const keyword = yield* readKeyword(input, sign, dialect);
    const key = keyword === '' && sign === '=' ? names[count] : keyword || undefined;
    if (key === undefined) return false;
    const prefix = `${count === 0 ? '{' : ', '}${JSON.stringify(key)}: `;
    if (keyword !== '') {
      if (count === 0) input.startCall(name);
      input.addArguments(prefix);
    }
    yield* input.takeSpace();
    const value = yield* readLiteral(input, dialect);
    if (value === null) return false;
    if (keyword === '' && count === 0) input.startCall(name);
    const typed = isTyped ? typedValue(value, tool, key) : value;
    input.addArguments(keyword === '' ? prefix + typed : typed);
    count++;
    return true;
  });
  if (commas === null) return false;
  if (count === 0) input.startCall(name);
  input.addArguments(count === 0 ? '{}' : '}');
  return true;
}

/** Models leave quotes out, and write numbers and booleans as strings; the tool's schema says what they are. */
function typedValue(json: string, tool: ToolDefinition | undefined, key: string): string {
  const { type = [] } = parameterSchema(tool, key) ?? {};
  const value = parseExact(json);
  if (typeof value === 'string' ? type.length === 0 || type.includes('string') : !isStringSchema({ type }))
    return json;
  return valueText(typeof value === 'string' ? value : writeExact(value), { type });
}

/** Beginnings of other lists of calls. */
const lists = ['\n[', '```'];

/** Reads broken arguments once more, from where `length` units were held. */
function* mendArguments(
  input: AnswerInput,
  { open }: LiteralSyntax,
  length: number,
  name: string,
): Reading<boolean> {
  if (open !== '(') return false;
  const call = yield* input.takeBrokenCall(length, [...input.callEnds, ...lists]);
  const tool = input.toolNamed(name);
  const mended = call && mendJson(call.text, { isCall: true });
  if (mended === undefined || !fitsTool(mended.json, tool)) return false;
  input.putBack(call!.text.length - mended.end);
  input.startCall(name);
  input.addArguments(mended.json);
  return true;
}

/** Takes a key and the sign behind it; takes nothing and returns `''` where a value stands without a key. */
function* readKeyword(input: AnswerInput, sign: string, dialect: LiteralDialect): Reading<string> {
  const { length } = input.held;
  const marks = [...dialect.quotes, ...dialect.rawQuotes];
  const isQuoted = sign === ':' && (yield* input.peekAny(marks)) !== null;
  const keyword = isQuoted
    ? (parseExact((yield* readLiteral(input, dialect)) ?? '""') as string)
    : yield* input.takeWhile((unit) => unit !== sign && isKeyword(unit), longestName);
  yield* input.takeSpace();
  if (keyword !== '' && (yield* input.takeAny([sign])) !== null) return keyword;
  input.putBack(input.held.length - length);
  return '';
}

/** Whether a text can stand before `=` as the name of an argument. */
export function isKeyword(text: string): boolean {
  return /^[^\s=,()[\]{}"'#]+$/.test(text);
}
