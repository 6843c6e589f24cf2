import { createJsonScanner } from '../../text/json-scanner.ts';
import type { AnswerInput, Reading } from './answer-input.ts';
import type { ToolDefinition } from '../messages.ts';
import { framedCalls } from './call-frame.ts';
import type { CallFrame, ToolCallConstraint } from './format.ts';
import { fitsTool, mendJson, schemasOf } from './mend-json.ts';
import {
  createJsonCallReader,
  unwrapArguments,
  usualArgumentsKeys,
  type CallEvent,
  type JsonCallOptions,
} from './json-call.ts';

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
  const { length } = input.held;
  const call = createJsonCallReader(options);
  while (call.state === 'open' && (yield* input.hasMore())) {
    const events: CallEvent[] = [];
    input.take(call.read(input.rest, 0, events));
    for (const event of events) if (event.type !== 'call-unfinished') input.emit(event);
  }
  if (call.progress === 'ended') {
    input.drop();
    return true;
  }
  const mayBeBroken = call.progress === 'announced' || options.strict !== true;
  if (mayBeBroken && (yield* mendCall(input, length, options))) return true;
  input.giveUp();
  return false;
}

/** Reads a call that is no JSON once more, from where `length` units were held. */
function* mendCall(
  input: AnswerInput,
  length: number,
  { nameKeys = ['name'], argumentsKeys = usualArgumentsKeys }: JsonCallOptions,
): Reading<boolean> {
  const object = yield* takeMended(input, length, undefined);
  if (object === undefined) return false;
  const members = JSON.parse(object) as Readonly<Record<string, unknown>>;
  const name = nameKeys.map((key) => members[key]).find((value) => typeof value === 'string' && value !== '');
  const values = argumentsKeys.map((key) => members[key]).find((value) => value !== undefined) ?? {};
  if (typeof name !== 'string') return false;
  return emitMended(input, name, typeof values === 'string' ? values : JSON.stringify(values));
}

/** Takes the broken call that begins where `length` units were held, and reads the object there. */
function* takeMended(
  input: AnswerInput,
  length: number,
  tool: ToolDefinition | undefined,
): Reading<string | undefined> {
  if (!input.canReadAgain || input.isCutOff) return undefined;
  input.restart(length);
  const { text, hasEnd } = yield* input.takeBrokenCall();
  if (input.isCutOff) return undefined;
  const mended = mendJson(text, 0, { schemaOf: schemasOf(tool), mayBeOpen: hasEnd });
  if (mended === undefined || !mended.json.startsWith('{')) return undefined;
  input.putBack(text.length - mended.end);
  return mended.json;
}

/** Gives out a call whose arguments were mended, if they fit its tool. */
function emitMended(input: AnswerInput, name: string, text: string): boolean {
  const tool = input.toolNamed(name);
  const json = mendJson(text, 0, { schemaOf: schemasOf(tool) })?.json;
  if (json === undefined || !fitsTool(json, tool)) return false;
  input.startCall(name);
  input.addArguments(json);
  input.endCall();
  return true;
}

/**
 * Reads the arguments of a call whose name is known: a JSON object, or a string that holds one. False if there is none, or it
 * was not finished.
 */
export function* readJsonArguments(input: AnswerInput, name: string, id?: string): Reading<boolean> {
  yield* input.takeSpace();
  const first = yield* input.peekAny(['{', '"']);
  if (name === '' || first === null) {
    input.giveUp();
    return false;
  }
  const { length } = input.held;
  if (first === '{') input.startCall(name, id);
  const scanner = createJsonScanner();
  let text = '';
  while (scanner.state === 'open' && (yield* input.hasMore())) {
    const piece = input.take(scanner.scan(input.rest));
    if (first === '"') text += piece;
    else if (piece !== '') input.addArguments(piece);
  }
  const unwrapped = scanner.state === 'complete' && first === '"' ? unwrapArguments(text) : null;
  if (scanner.state === 'complete' && (first === '{' || unwrapped !== null)) {
    if (unwrapped !== null) {
      input.startCall(name, id);
      input.addArguments(unwrapped);
    }
    input.endCall();
    return true;
  }
  const tool = input.toolNamed(name);
  const json = first === '{' ? yield* takeMended(input, length, tool) : undefined;
  if (json === undefined || !fitsTool(json, tool)) {
    input.giveUp();
    return false;
  }
  input.startCall(name, id);
  input.addArguments(json);
  input.endCall();
  return true;
}

/** Takes a JSON object and returns its text; `undefined` where there is none, or it was not finished. */
export function* takeJsonObject(input: AnswerInput): Reading<string | undefined> {
  yield* input.takeSpace();
  if ((yield* input.peekAny(['{'])) === null) return undefined;
  const scanner = createJsonScanner();
  let text = '';
  while (scanner.state === 'open' && (yield* input.hasMore())) text += input.take(scanner.scan(input.rest));
  return scanner.state === 'complete' ? text : undefined;
}

const longestName = 256;

/** Reads a function's name as it stands outside of quotes; `''` if there is none. */
export function* readName(input: AnswerInput): Reading<string> {
  return yield* input.takeWhile((unit) => !/[\s<>[\]{}()"'`=,;|]/.test(unit), longestName);
}

/** The frame of the arguments of a call that is a JSON object. */
export function jsonCallFrame(name: string, keys: { name?: string; arguments?: string } = {}): CallFrame {
  const { name: nameKey = 'name', arguments: argumentsKey = 'arguments' } = keys;
  return { prefix: `{"${nameKey}": ${JSON.stringify(name)}, "${argumentsKey}": `, suffix: '}' };
}

type JsonKeys = Parameters<typeof jsonCallFrame>[1];

/** Calls as a list of JSON objects behind a marker. */
export function jsonListConstraint(open: string, end = '', keys?: JsonKeys): ToolCallConstraint {
  return framedCalls({ trigger: open, begin: `${open}[`, separator: ', ', end: `]${end}` }, (name) =>
    jsonCallFrame(name, keys),
  );
}

/** The same list as Jinja's `tojson(indent=4)` writes it, which models learn from their templates. */
export function indentedListConstraint(open: string, end = '', keys: JsonKeys = {}): ToolCallConstraint {
  const { name: nameKey = 'name', arguments: argumentsKey = 'arguments' } = keys;
  return framedCalls(
    { trigger: open.split('\n', 1)[0]!, begin: `${open}[\n    `, separator: ',\n    ', end: `\n]${end}` },
    (name) => ({
      prefix: `{\n        "${nameKey}": ${JSON.stringify(name)},\n        "${argumentsKey}": `,
      suffix: '\n    }',
    }),
  );
}
