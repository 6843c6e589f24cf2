import type { Reading } from '../text-input.ts';
import type { AnswerInput } from './answer-input.ts';
import { readCallList } from './json-calls.ts';
import { mendJson } from './mend-json.ts';
import type { ItemsNotation } from './notation.ts';

const maxNameLength = 256;

/**
 * Reads calls with literals as arguments: `[f(a="x"), g(n=1)]`, with or without the brackets, with commas, semicolons or line
 * breaks between calls. `print(f(a="x"))` is a call of `f`. Arguments are emitted when the call ends.
 */
export function readLiteralCalls(input: AnswerInput, notation: ItemsNotation): Reading {
  return readCallList(input, () => readCall(input, notation));
}

function* readCall(input: AnswerInput, notation: ItemsNotation): Reading<boolean | undefined> {
  const isPrinted = input.toolNamed('print') === undefined && (yield* input.takeAny(['print('])) !== null;
  const written = yield* input.takeWhile(/[\w.:-]/, maxNameLength);
  if (written === '') return undefined;
  const name = input.nameOf(written);
  const mayBe = input.toolNamed(name) !== undefined || (input.canReadAgain && !/^[\d.-]/.test(name));
  const isCall = (yield* input.takeAny([notation.first.trim()])) !== null && mayBe;
  if (!isCall || !(yield* readArguments(input, notation, name))) return false;
  if (isPrinted) {
    yield* input.dropSpace();
    yield* input.takeAny([')']);
  }
  return true;
}

function* readArguments(input: AnswerInput, notation: ItemsNotation, name: string): Reading<boolean> {
  const { length } = input.held;
  const tool = input.toolNamed(name);
  input.startCall(name);
  // Under a grammar, nothing is held of what came before.
  const start = input.held.length;
  const isWhole = yield* takeBalanced(input, notation.mark);
  const text = input.held.slice(start);
  const read = isWhole ? mendJson(text, { call: notation, tool }) : undefined;
  if (read?.end === text.length) {
    input.addArguments(read.json);
    input.emit({ type: 'call-end' });
    return true;
  }
  if (notation.mark !== undefined) return false;
  const mend = (broken: string) => mendJson(broken, { call: notation });
  // Further lists of calls may follow.
  return yield* input.mendCall({ name, length, mend, ends: [...input.callEnds, '\n[', '```'] });
}

/** Takes the text up to and with the closing bracket, outside of strings. @returns false if the bracket is missing */
export function* takeBalanced(input: AnswerInput, mark?: string): Reading<boolean> {
  const quotes = mark === undefined ? ['"', "'"] : mark.includes('"') ? [mark] : ['"', mark];
  for (let depth = 1; depth > 0;) {
    const sign = yield* input.takeUntil([...quotes, ...'([{)]}']);
    if (sign === null) return false;
    if (!quotes.includes(sign)) depth += '([{'.includes(sign) ? 1 : -1;
    else if (!(yield* takeString(input, sign, sign === mark))) return false;
  }
  return true;
}

function* takeString(input: AnswerInput, quote: string, isRaw: boolean): Reading<boolean> {
  const isTriple = !isRaw && (yield* input.takeAny([quote + quote])) !== null;
  const end = isTriple ? quote.repeat(3) : quote;
  for (;;) {
    const sign = yield* input.takeUntil(isRaw ? [end] : [end, '\\']);
    if (sign !== '\\') return sign !== null;
    yield* input.hasMore();
    input.take(1);
  }
}
