import { TextCursor } from '../../text/text-cursor.ts';
import type { AnswerInput, Reading } from './answer-input.ts';
import { readCallList } from './json-calls.ts';
import { pythonLiterals, readItems, readLiteral } from './literal.ts';
import { fitsTool, mendJson, schemasOf, type MendedJson } from './mend-json.ts';
import { parameterNames } from './schema-types.ts';

const longestName = 256;

/**
 * Reads calls written as Python expressions: `[f(a="x"), g(n=1)]`, with or without the brackets, with commas, semicolons or
 * line breaks between calls. `print(f(a="x"))` is a call of `f`. A call is announced when its first argument has a name or is
 * complete, or when it ends; arguments come out one at a time.
 */
export function* readPythonCalls(input: AnswerInput): Reading {
  yield* readCallList(input, readCall);
}

function* readIdentifier(input: AnswerInput): Reading<string> {
  return yield* input.takeWhile((unit) => /[\w.-]/.test(unit), longestName);
}

/** Reads a call; false if it is none, or was not finished. */
function* readCall(input: AnswerInput): Reading<boolean | undefined> {
  const written = yield* readIdentifier(input);
  if (written === '') return undefined;
  const inner = written === 'print' ? yield* readPrintedName(input) : '';
  const name = inner === '' ? written : inner;
  const mayBe = input.toolNamed(name) !== undefined || (input.canReadAgain && !/^[\d.-]/.test(name));
  const isCall = (yield* input.takeAny(['('])) !== null && mayBe;
  const { length } = input.held;
  if (!isCall || !((yield* readArguments(input, name)) || (yield* mendArguments(input, length, name)))) {
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

function* readArguments(input: AnswerInput, name: string): Reading<boolean> {
  const names = parameterNames(input.toolNamed(name));
  let count = 0;
  const commas = yield* readItems(input, ')', function* () {
    const keyword = yield* readKeyword(input);
    const key = keyword === '' ? names[count] : keyword;
    if (key === undefined) return false;
    const prefix = `${count === 0 ? '{' : ', '}${JSON.stringify(key)}: `;
    if (keyword !== '') {
      if (count === 0) input.startCall(name);
      input.addArguments(prefix);
    }
    yield* input.takeSpace();
    const value = yield* readLiteral(input, pythonLiterals);
    if (value === null) return false;
    if (keyword === '' && count === 0) input.startCall(name);
    input.addArguments(keyword === '' ? prefix + value : value);
    count++;
    return true;
  });
  if (commas === null) return false;
  if (count === 0) input.startCall(name);
  input.addArguments(count === 0 ? '{}' : '}');
  return true;
}

/** Beginnings of other lists of calls. */
const lists = ['\n[', '```'];

/** Reads broken arguments once more, from where `length` units were held. */
function* mendArguments(input: AnswerInput, length: number, name: string): Reading<boolean> {
  const call = yield* input.takeBrokenCall(length, [...input.callEnds, ...lists]);
  const tool = input.toolNamed(name);
  const mended = call && mendPythonArguments(call.text, schemasOf(tool));
  if (mended === undefined || !fitsTool(mended.json, tool)) return false;
  input.putBack(call!.text.length - mended.end);
  input.startCall(name);
  input.addArguments(mended.json);
  return true;
}

/** Takes `name=`; takes nothing and returns `''` where a value stands without a name. */
function* readKeyword(input: AnswerInput): Reading<string> {
  const { length } = input.held;
  const keyword = yield* input.takeWhile(isKeyword, longestName);
  yield* input.takeSpace();
  if (keyword !== '' && (yield* input.takeAny(['='])) !== null) return keyword;
  input.putBack(input.held.length - length);
  return '';
}

/** Whether a text can stand before `=` as the name of an argument. */
export function isKeyword(text: string): boolean {
  return /^[^\s=,()[\]{}"'#]+$/.test(text);
}

const keyword = /\s*([^\s=,()[\]{}"'#]+)\s*=\s*/y;
/** The text after a string: another argument, or the end of the call before another one, the list's end or a line's. */
const stringEnd = /\s*(?:,\s*[^\s=,()[\]{}"'#]+\s*=|\)\s*(?:\n|$|\]\s*(?:\n|$)|[,;]\s*[\w.-]+\())/y;

/**
 * Reads the arguments `a="x", n=1)` of a Python call that is broken, since strings hold quotes of their own kind without a
 * backslash: a string ends where an argument can. Returns a JSON object, and the index behind the bracket.
 */
function mendPythonArguments(text: string, schemaOf?: (key: string) => unknown): MendedJson | undefined {
  const members: string[] = [];
  const cursor = new TextCursor(text);
  for (;;) {
    const [, name] = cursor.takeMatch(keyword) ?? [];
    if (name === undefined) return undefined;
    const { index } = cursor;
    const value = readString(text, index) ?? mendJson(text, index, { schemaOf: () => schemaOf?.(name) });
    if (value === undefined) return undefined;
    members.push(`${JSON.stringify(name)}: ${value.json}`);
    cursor.index = value.end;
    const [, sign] = cursor.takeMatch(/\s*([,)])/y) ?? [];
    if (sign === undefined) return undefined;
    if (sign === ')') return { json: `{${members.join(', ')}}`, end: cursor.index };
  }
}

function readString(text: string, start: number): MendedJson | undefined {
  const quote = text.charAt(start);
  if (quote !== '"' && quote !== "'") return undefined;
  for (let end = text.indexOf(quote, start + 1); end !== -1; end = text.indexOf(quote, end + 1)) {
    stringEnd.lastIndex = end + 1;
    if (!stringEnd.test(text)) continue;
    const value = text
      .slice(start + 1, end)
      .replace(/\\([nrt\\'"])/g, (_, sign: string) => escapes[sign] ?? sign);
    return { json: JSON.stringify(value), end: end + 1 };
  }
  return undefined;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
