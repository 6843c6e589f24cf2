import { createJsonScanner } from '../../text/json-scanner.ts';
import type { AnswerInput, Reading } from './answer-input.ts';
import type { CallFrame } from './format.ts';
import { createJsonCallReader, unwrapArguments, type CallEvent, type JsonCallOptions } from './json-call.ts';

/**
 * Reads calls written as JSON objects (see `createJsonCallReader`): one, several with commas, semicolons or nothing
 * between them, or a list.
 */
export function* readJsonCalls(input: AnswerInput, options: JsonCallOptions = {}): Reading {
  yield* input.takeSpace();
  const isList = (yield* input.takeAny(['['])) !== null;
  let hasCall = false;
  yield* input.takeSpace();
  while ((yield* input.peekAny(['{'])) !== null) {
    if (!(yield* readJsonCall(input, options))) return;
    hasCall = true;
    yield* input.dropSpace();
    yield* input.takeAny([',', ';']);
    yield* input.takeSpace();
  }
  if (input.held.trim() !== '' || !hasCall) input.giveUp();
  else if (isList && (yield* input.takeAny([']'])) !== null) yield* input.dropSpace();
  input.drop();
}

/** Reads one call; false if it is none, or was not finished. */
function* readJsonCall(input: AnswerInput, options: JsonCallOptions): Reading<boolean> {
  const call = createJsonCallReader(options);
  while (call.state === 'open' && (yield* input.hasMore())) {
    const events: CallEvent[] = [];
    input.take(call.read(input.rest, 0, events));
    for (const event of events) input.emit(event);
  }
  if (call.progress === 'ended') {
    input.drop();
    return true;
  }
  // An announced call that broke off inside the text was reported by its reader.
  if (call.state === 'open' || call.progress === 'unannounced') input.giveUp();
  return false;
}

/**
 * Reads the arguments of a call whose name is known: a JSON object, or a string that holds one. False if there is
 * none, or it was not finished.
 */
export function* readJsonArguments(input: AnswerInput, name: string): Reading<boolean> {
  yield* input.takeSpace();
  const first = yield* input.peekAny(['{', '"']);
  if (name === '' || first === null) {
    input.giveUp();
    return false;
  }
  if (first === '{') input.startCall(name);
  const scanner = createJsonScanner();
  let text = '';
  while (scanner.state === 'open' && (yield* input.hasMore())) {
    const piece = input.take(scanner.scan(input.rest));
    if (first === '"') text += piece;
    else if (piece !== '') input.addArguments(piece);
  }
  const unwrapped = scanner.state === 'complete' && first === '"' ? unwrapArguments(text) : null;
  if (scanner.state !== 'complete' || (first === '"' && unwrapped === null)) {
    input.giveUp();
    return false;
  }
  if (unwrapped !== null) {
    input.startCall(name);
    input.addArguments(unwrapped);
  }
  input.endCall();
  return true;
}

const longestName = 256;

/** Reads a function's name as it stands outside of quotes; `''` if there is none. */
export function* readName(input: AnswerInput): Reading<string> {
  return yield* input.takeWhile((unit) => !/[\s<>[\]{}()"'`=,;|]/.test(unit), longestName);
}

/** What stands around the arguments of a call that is a JSON object. */
export function jsonCallFrame(name: string, keys: { name?: string; arguments?: string } = {}): CallFrame {
  const { name: nameKey = 'name', arguments: argumentsKey = 'arguments' } = keys;
  return { prefix: `{"${nameKey}": ${JSON.stringify(name)}, "${argumentsKey}": `, suffix: '}' };
}
