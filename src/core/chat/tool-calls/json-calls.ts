import { isJson } from '../../text/bounded-json.ts';
import { createJsonScanner } from '../../text/json-scanner.ts';
import type { Reading, TextInput } from '../text-input.ts';
import type { AnswerInput } from './answer-input.ts';
import { peekEdge, takeEdge } from './edges.ts';
import { mendJson } from './mend-json.ts';
import type { JsonNotation } from './notation.ts';

interface JsonCallOptions extends Partial<
  Pick<JsonNotation, 'nameAt' | 'argumentsAt' | 'before' | 'behind'>
> {
  /**
   * Whether calls differ from any JSON object only by their keys: then a call must have arguments and no further keys. Default
   * false.
   */
  readonly strict?: boolean | undefined;
  /** The only names that count; default all. */
  readonly names?: readonly string[] | undefined;
}

/**
 * Reads calls: one, several with commas, semicolons or nothing between them, or a list.
 * @param readCall whether it has read a call; `undefined` if no call begins
 */
export function* readCallList(input: AnswerInput, readCall: () => Reading<boolean | undefined>): Reading {
  yield* input.takeSpace();
  const isList = (yield* input.takeAny(['['])) !== null;
  let hasCall = false;
  for (;;) {
    yield* input.takeSpace();
    const isCall = yield* readCall();
    if (isCall === false) return input.giveUp();
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
export function* readJsonCalls(input: AnswerInput, options: JsonCallOptions): Reading {
  const { before, behind = '}' } = options;
  yield* readCallList(input, function* () {
    if ((yield* input.peekAny(['{'])) === null) return undefined;
    return yield* input.canReadAgain || before === undefined
      ? readWholeCall(input, options)
      : readWrittenCall(input, before, behind);
  });
}

/** Reads a call as a grammar writes it; its arguments are streamed. */
function* readWrittenCall(input: AnswerInput, before: string, behind: string): Reading<boolean> {
  const found = yield* takeEdge(input, [before]);
  if (!found) input.take(1);
  yield* input.takeSpace();
  const isRead = found !== undefined && (yield* readObject(input, found.slots.name!));
  if (isRead) yield* takeEdge(input, [behind]);
  return isRead;
}

function* readWholeCall(input: AnswerInput, options: JsonCallOptions): Reading<boolean> {
  const { strict = false } = options;
  const { length } = input.held;
  const keys = keysOf(options).flat();
  const begun = keys.map((key) => `{"${key}"`);
  if (strict && (yield* peekEdge(input, begun)) === undefined) {
    input.take(1);
    return false;
  }
  const text = yield* takeJson(input);
  // The last bracket may be missing.
  const closed = text === undefined && input.hasEnded ? `${input.held.slice(length)}}` : '';
  const call = isJson(text ?? closed) ? callIn(text ?? closed, options, strict || closed !== '') : undefined;
  if (call) {
    input.addCall(call.name, call.arguments);
    return true;
  }
  if (input.isCutOff) announceCut(input, options);
  if (text !== undefined || (strict && !/"[^"]*"\s*:\s*[{"]/.test(input.held))) return false;
  return yield* input.mendCall({
    length,
    mend(broken, hasEnd) {
      const object = mendJson(broken, { mayBeOpen: hasEnd });
      const found = object?.json.startsWith('{') ? callIn(object.json, options) : undefined;
      const mended = mendJson(found?.arguments ?? '', { tool: input.toolNamed(found?.name ?? '') });
      return mended && { name: found!.name, json: mended.json, end: object!.end };
    },
  });
}

/** Keys of a call: of the object around it, of its name, of its arguments, and further ones that some models write. */
function keysOf({ nameAt = ['name'], argumentsAt = [] }: JsonCallOptions) {
  const names = nameAt.length === 0 ? [] : ['name', nameAt.at(-1)!];
  const args = ['arguments', 'parameters', ...argumentsAt.slice(-1)];
  return [nameAt.slice(0, -1), names, args, ['id', 'type']] as const;
}

/** The object as a call. Without `nameAt`, the key of the arguments is the name. */
function callIn(
  json: string,
  options: JsonCallOptions,
  needsArguments = options.strict,
): { name: string; arguments: string } | undefined {
  const { strict = false, names: known } = options;
  const [[wrapper = ''], names, argumentKeys, companions] = keysOf(options);
  const whole = membersOf(json);
  const members = whole.get(wrapper)?.startsWith('{') ? membersOf(whole.get(wrapper)!) : whole;
  const [[first = '', only] = []] = members;
  const valueOf = (keys: readonly string[]) => [...members].find(([key]) => keys.includes(key))?.[1];
  const [written, args] =
    names.length === 0 ? [JSON.stringify(first), only] : [valueOf(names), valueOf(argumentKeys)];
  const name = written?.startsWith('"') ? (JSON.parse(written) as string) : '';
  const keys = new Set([...names, ...argumentKeys, ...companions]);
  const isComplete = args !== undefined || !needsArguments;
  const isOnlyCall = !strict || [...members.keys()].every((key) => keys.has(key));
  if (name === '' || known?.includes(name) === false || !isComplete || !isOnlyCall) return undefined;
  const text = unwrapArguments(args ?? 'null');
  return text === undefined ? undefined : { name, arguments: text };
}

/** The members of a JSON object as texts; the first of a name counts. */
function membersOf(json: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  const scan = (from: number): number => createJsonScanner().scan(json, from);
  const start = /[\s,]*(?=")/y;
  for (start.lastIndex = 1; start.test(json);) {
    const keyEnd = scan(start.lastIndex);
    const key = JSON.parse(json.slice(start.lastIndex, keyEnd)) as string;
    const valueStart = json.indexOf(':', keyEnd) + 1;
    start.lastIndex = scan(valueStart);
    if (!members.has(key)) members.set(key, json.slice(valueStart, start.lastIndex).trim());
  }
  return members;
}

/** Arguments as the text of an object; they may be the text of one in a string, or null. */
function unwrapArguments(json: string): string | undefined {
  if (json.startsWith('{')) return json;
  if (json !== 'null' && !json.startsWith('"')) return undefined;
  const text = (JSON.parse(json) as string | null)?.trim() || '{}';
  return text.startsWith('{') && isJson(text) ? text : undefined;
}

/** Announces the call that a limit has cut off in its arguments. */
function announceCut(input: AnswerInput, options: JsonCallOptions): void {
  const [, names, argumentKeys] = keysOf(options);
  const pattern = `"(?:${names.join('|')})"\\s*:\\s*"([^"\\\\]+)"\\s*,\\s*"(?:${argumentKeys.join('|')})"\\s*:\\s*(\\{.*)$`;
  const [, name, args] = new RegExp(pattern, 's').exec(input.held) ?? [];
  if (name === undefined) return;
  input.startCall(name);
  input.addArguments(args!);
}

/** Takes a JSON value, and emits it as it comes; `undefined` if it is missing or incomplete. */
export function* takeJson(input: TextInput, emit?: (piece: string) => void): Reading<string | undefined> {
  const scanner = createJsonScanner();
  let text = '';
  while (scanner.state === 'open' && (yield* input.hasMore())) {
    const piece = input.take(scanner.scan(input.rest));
    text += piece;
    if (piece !== '') emit?.(piece);
  }
  return scanner.state === 'complete' ? text : undefined;
}

/** Reads the arguments of a call with this name: a JSON object, or a string that contains it. */
export function* readJsonArguments(input: AnswerInput, name: string, id?: string): Reading<boolean> {
  yield* input.takeSpace();
  const first = name === '' ? null : yield* input.peekAny(['{', '"']);
  if (first !== '"') return first === '{' && (yield* readObject(input, name, id));
  const json = unwrapArguments((yield* takeJson(input)) ?? '');
  if (json !== undefined) input.addCall(name, json, id);
  return json !== undefined;
}

function* readObject(input: AnswerInput, name: string, id?: string): Reading<boolean> {
  const { length } = input.held;
  input.startCall(name, id);
  if ((yield* takeJson(input, (piece) => input.addArguments(piece))) !== undefined) {
    input.emit({ type: 'call-end' });
    return true;
  }
  const mend = (text: string, hasEnd: boolean) =>
    mendJson(text, { tool: input.toolNamed(name), mayBeOpen: hasEnd });
  return yield* input.mendCall({ name, id, length, mend });
}
