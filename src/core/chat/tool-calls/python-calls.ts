import type { AnswerInput, Reading } from './answer-input.ts';
import { readCallList } from './json-calls.ts';
import { pythonLiterals, readItems, readLiteral } from './literal.ts';
import { fitsTool, mendJson } from './mend-json.ts';
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
  const mended = call && mendJson(call.text, { isCall: true });
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
