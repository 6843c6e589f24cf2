import { parseExact, writeExact } from '../../text/exact-json.ts';
import { isSchemaObject } from '../../grammar/schemas/json-types.ts';
import { createJsonScanner } from '../../text/json-scanner.ts';
import type { TextInput } from '../text-input.ts';
import type { AnswerInput, Reading } from './answer-input.ts';
import type { ToolDefinition } from '../messages.ts';
import { fitsTool, mendJson, schemasOf } from './mend-json.ts';
import { isJson } from '../../text/bounded-json.ts';

export interface JsonCallOptions {
  /** The keys that lead to the name; default `name`. Where there are none, the name is the key of the arguments. */
  readonly nameAt?: readonly string[] | undefined;
  /** The keys that lead to the arguments; default `arguments` or `parameters`. */
  readonly argumentsAt?: readonly string[] | undefined;
  /**
   * Whether nothing but its keys tells a call from any other JSON object: then it may have no others than those of
   * a call, and needs arguments. Default false.
   */
  readonly strict?: boolean | undefined;
  /** The only names that count; any where left out. */
  readonly names?: readonly string[] | undefined;
}

/** Keys of the members of a call. */
interface CallKeys {
  /** Of an object that holds name and arguments. */
  readonly wrapper: string | undefined;
  readonly name: readonly string[];
  readonly arguments: readonly string[];
}

function keysOf({ nameAt, argumentsAt = [] }: JsonCallOptions): CallKeys {
  return {
    wrapper: nameAt && nameAt.length > 1 ? nameAt[0] : undefined,
    name: nameAt?.length === 0 ? [] : ['name', ...(nameAt ?? []).slice(-1)],
    arguments: ['arguments', 'parameters', ...argumentsAt.slice(-1)],
  };
}
/** Keys that some models write beside name and arguments. */
const companionKeys: ReadonlySet<string> = new Set(['id', 'type']);

/**
 * Reads calls: one, several with commas, semicolons or nothing between them, or a list.
 * @param readCall says whether it has read a call, and `undefined` where none begins
 */
export function* readCallList(
  input: AnswerInput,
  readCall: (input: AnswerInput) => Reading<boolean | undefined>,
): Reading {
  yield* input.takeSpace();
  const isList = (yield* input.takeAny(['['])) !== null;
  let hasCall = false;
  for (;;) {
    yield* input.takeSpace();
    const isCall = yield* readCall(input);
    if (isCall === false) return;
    if (isCall === undefined) break;
    hasCall = true;
    yield* input.dropSpace();
    yield* input.takeAny([',', ';']);
  }
  if (input.held.trim() !== '' || !hasCall) input.giveUp();
  else if (isList && (yield* input.takeAny([']'])) !== null) yield* input.dropSpace();
  input.drop();
}

/** Reads a list of calls written as JSON objects, `{"name": "…", "arguments": {…}}`. */
export function* readJsonCalls(input: AnswerInput, options: JsonCallOptions = {}): Reading {
  yield* readCallList(input, () => readJsonCall(input, options));
}

/** Reads one call; false if it is none, or was not finished. */
function* readJsonCall(input: AnswerInput, options: JsonCallOptions): Reading<boolean | undefined> {
  if ((yield* input.peekAny(['{'])) === null) return undefined;
  const { length } = input.held;
  const progress = yield* readMembers(input, options);
  if (progress === 'ended') {
    input.drop();
    return true;
  }
  const mayBeBroken = progress === 'announced' || options.strict !== true;
  if (mayBeBroken && (yield* mendCall(input, length, options))) return true;
  input.giveUp();
  return false;
}

interface CallInHand {
  name?: string | undefined;
  arguments?: string | undefined;
  /** Whether its `call-start`, and then its `call-end`, has been given out. */
  progress: 'unannounced' | 'announced' | 'ended';
}

/** Reads an object, up to what can't be part of a call. */
function* readMembers(
  input: AnswerInput,
  options: JsonCallOptions,
  call: CallInHand = { progress: 'unannounced' },
): Reading<CallInHand['progress']> {
  input.take(1);
  yield* takeJsonSpace(input);
  if (input.next === '}') return call.progress;
  do {
    yield* takeJsonSpace(input);
    if (!(yield* readMember(input, call, options))) return call.progress;
    yield* takeJsonSpace(input);
  } while ((yield* input.takeAny([','])) !== null);
  if (input.next !== '}') return call.progress;
  if (call.progress === 'unannounced') {
    if (call.name === undefined || options.strict) return call.progress;
    input.addCall(call.name, '{}');
  }
  input.take(1);
  return 'ended';
}

/**
 * Reads a member; false if it is none of a call. The call is announced as soon as its name and the beginning of its arguments
 * object are known; from then on arguments come out as they are written.
 */
function* readMember(input: AnswerInput, call: CallInHand, options: JsonCallOptions): Reading<boolean> {
  const key = yield* takeJsonString(input);
  if (key === undefined) return false;
  const { strict = false, names } = options;
  const keys = keysOf(options);
  const [isName, isArguments] = [keys.name.includes(key), keys.arguments.includes(key)];
  if (strict && !isName && !isArguments && !companionKeys.has(key)) return false;
  yield* takeJsonSpace(input);
  if ((yield* input.takeAny([':'])) === null) return false;
  yield* takeJsonSpace(input);
  const isOpen = call.progress === 'unannounced';
  if (keys.name.length === 0 && isOpen) {
    if (key === '' || input.next !== '{') return false;
    return yield* streamArguments(input, call, key);
  }
  if (isOpen && key === keys.wrapper && input.next === '{') {
    if ((yield* readMembers(input, options, call)) !== 'unannounced') return call.progress === 'ended';
    return false;
  }
  if (isOpen && isArguments && call.arguments === undefined) {
    if (call.name !== undefined && input.next === '{') return yield* streamArguments(input, call, call.name);
    call.arguments = yield* takeArguments(input);
    if (call.arguments === undefined) return false;
  } else if (isOpen && isName && call.name === undefined) {
    call.name = yield* takeJsonString(input);
    if (!call.name || names?.includes(call.name) === false) return false;
  } else {
    return yield* takeJson(input);
  }
  if (call.name !== undefined && call.arguments !== undefined) {
    input.addCall(call.name, call.arguments);
    call.progress = 'ended';
  }
  return true;
}

function* streamArguments(input: AnswerInput, call: CallInHand, name: string): Reading<boolean> {
  input.startCall(name);
  call.progress = 'announced';
  if (!(yield* takeJson(input, (piece) => input.addArguments(piece)))) return false;
  input.endCall();
  call.progress = 'ended';
  return true;
}

/** Takes arguments that are an object, the text of one, or `null`. */
function* takeArguments(input: AnswerInput): Reading<string | undefined> {
  if (!'{"n'.includes(input.next)) return undefined;
  const text = yield* takeJsonText(input);
  return text?.startsWith('{') ? text : text && unwrapArguments(text);
}

export function* takeJsonString(input: AnswerInput): Reading<string | undefined> {
  const text = input.next === '"' ? yield* takeJsonText(input) : undefined;
  return text && (JSON.parse(text) as string);
}

function* takeJsonText(input: AnswerInput): Reading<string | undefined> {
  let text = '';
  const isWhole = yield* takeJson(input, (piece) => (text += piece));
  return isWhole ? text : undefined;
}

function* takeJsonSpace(input: AnswerInput): Reading {
  yield* input.takeWhile((unit) => ' \n\r\t'.includes(unit));
}

/** Takes a JSON value; says whether it is whole. */
export function* takeJson(input: TextInput, emit: (piece: string) => void = () => {}): Reading<boolean> {
  const scanner = createJsonScanner();
  while (scanner.state === 'open' && (yield* input.hasMore())) {
    const piece = input.take(scanner.scan(input.rest));
    if (piece !== '') emit(piece);
  }
  return scanner.state === 'complete';
}

/** Arguments as the text of an object, `undefined` where the string holds none. */
function unwrapArguments(json: string): string | undefined {
  const text = (JSON.parse(json) as string | null)?.trim() || '{}';
  return text.startsWith('{') && isJson(text) ? text : undefined;
}

/** Reads a call that is no JSON once more, from where `length` units were held. */
function* mendCall(input: AnswerInput, length: number, options: JsonCallOptions): Reading<boolean> {
  const object = yield* takeMended(input, length, undefined);
  if (object === undefined) return false;
  const keys = keysOf(options);
  const whole = parseExact(object) as Readonly<Record<string, unknown>>;
  const wrapped = keys.wrapper === undefined ? undefined : whole[keys.wrapper];
  const members = isSchemaObject(wrapped) ? wrapped : whole;
  const [first = ''] = keys.name.length === 0 ? Object.keys(members) : [];
  const name =
    first || keys.name.map((key) => members[key]).find((value) => typeof value === 'string' && value !== '');
  const values =
    [first, ...keys.arguments].map((key) => members[key]).find((value) => value !== undefined) ?? {};
  if (typeof name !== 'string') return false;
  return emitMended(input, name, typeof values === 'string' ? values : writeExact(values));
}

/** Takes the broken call that begins where `length` units were held, and reads the object there. */
function* takeMended(
  input: AnswerInput,
  length: number,
  tool: ToolDefinition | undefined,
): Reading<string | undefined> {
  const call = yield* input.takeBrokenCall(length);
  const mended = call && mendJson(call.text, { schemaOf: schemasOf(tool), mayBeOpen: call.hasEnd });
  if (!mended?.json.startsWith('{')) return undefined;
  input.putBack(call!.text.length - mended.end);
  return mended.json;
}

/** Gives out a call whose arguments were mended, if they fit its tool. */
function emitMended(input: AnswerInput, name: string, text: string): boolean {
  const tool = input.toolNamed(name);
  const json = mendJson(text, { schemaOf: schemasOf(tool) })?.json;
  if (json === undefined || !fitsTool(json, tool)) return false;
  input.addCall(name, json);
  return true;
}

/**
 * Reads the arguments of a call whose name is known: a JSON object, or a string that holds one. False if there is none, or it
 * was not finished.
 */
export function* readJsonArguments(input: AnswerInput, name: string, id?: string): Reading<boolean> {
  yield* input.takeSpace();
  const first = yield* input.peekAny(['{', '"']);
  const isCall = name !== '' && first !== null;
  const isRead = isCall && (yield* first === '{' ? readObject(input, name, id) : readText(input, name, id));
  if (isRead) yield* input.dropSpace();
  else input.giveUp();
  return isRead;
}

function* readObject(input: AnswerInput, name: string, id: string | undefined): Reading<boolean> {
  const { length } = input.held;
  input.startCall(name, id);
  if (yield* takeJson(input, (piece) => input.addArguments(piece))) {
    input.endCall();
    return true;
  }
  const tool = input.toolNamed(name);
  const json = yield* takeMended(input, length, tool);
  if (json === undefined || !fitsTool(json, tool)) return false;
  input.addCall(name, json, id);
  return true;
}

function* readText(input: AnswerInput, name: string, id: string | undefined): Reading<boolean> {
  const json = yield* takeArguments(input);
  if (json !== undefined) input.addCall(name, json, id);
  return json !== undefined;
}

/** Takes a JSON object and returns its text; `undefined` where there is none, or it was not finished. */
export function* takeJsonObject(input: AnswerInput): Reading<string | undefined> {
  yield* input.takeSpace();
  return (yield* input.peekAny(['{'])) === null ? undefined : yield* takeJsonText(input);
}

const longestName = 256;

/** Reads a function's name as it stands outside of quotes; `''` if there is none. */
export function* readName(input: AnswerInput): Reading<string> {
  return yield* input.takeWhile((unit) => !/[\s<>[\]{}()"'`=,;|]/.test(unit), longestName);
}
