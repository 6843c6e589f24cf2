import type { ToolDefinition } from '../messages.ts';
import { isJson } from '../../text/bounded-json.ts';
import type { AnswerInput, Reading } from './answer-input.ts';
import { longestEdge, peekEdge, splitAtEdge, tagsOf, takeEdge } from './edges.ts';
import { takeBalanced } from './literal-calls.ts';
import { readJsonArguments, takeJson } from './json-calls.ts';
import { mendJson, namesAll, valueText, type MendedJson } from './mend-json.ts';
import { areText, parameterNames, parameterTypes, type Types } from './schema-types.ts';
import type { TagSyntax } from './tag-syntax.ts';

/** The call that is read. */
interface TaggedCall {
  readonly input: AnswerInput;
  readonly syntax: TagSyntax;
  readonly tool: ToolDefinition | undefined;
}

const longestName = 256;

/**
 * Reads the parameters of a call: `> <parameter=city> Paris </parameter> </function>`. Values have no quotes; the tool's schema
 * gives their types. A call without some close tags is read again if that is safe. One JSON object may replace the parameters.
 */
export function* readTaggedCall(input: AnswerInput, syntax: TagSyntax, name: string): Reading {
  const { nameEnd, parameterOpen, callClose } = syntax;
  const { length } = input.held;
  const isNamed = (yield* takeEdge(input, [nameEnd])) !== undefined;
  if (!isNamed && (yield* takeEdge(input, ['" />', ' />'])) !== undefined) {
    input.addCall(name, '{}');
    yield* input.dropSpace();
    return;
  }
  yield* input.takeSpace();
  if (isNamed && nameEnd !== '' && (yield* input.peekAny(['{'])) !== null) {
    if (!(yield* readJsonArguments(input, name))) return;
    if ((yield* takeEdge(input, [callClose])) !== undefined) yield* input.dropSpace();
    return;
  }
  const follows = yield* peekEdge(input, [parameterOpen, callClose]);
  if (!isNamed || follows === undefined) return input.giveUp();
  const call: TaggedCall = { input, syntax, tool: input.toolNamed(name) };
  input.startCall(name);
  const mend = (text: string, hasEnd: boolean) => mendParameters(call, text, hasEnd);
  if ((yield* readParameters(call)) || (yield* input.mendCall(name, { length, mend })))
    yield* input.dropSpace();
  else input.giveUp();
}

function* readParameters(call: TaggedCall): Reading<boolean> {
  const { input, syntax } = call;
  let parameters = 0;
  while ((yield* takeEdge(input, [syntax.parameterOpen])) !== undefined) {
    if (!(yield* readParameter(call, parameters === 0 ? '{' : ', '))) return false;
    parameters++;
    yield* input.dropSpace();
  }
  if ((yield* takeEdge(input, [syntax.callClose])) === undefined && !input.isComplete) return false;
  input.addArguments(parameters === 0 ? '{}' : '}');
  input.endCall();
  return true;
}

/** Reads a call with missing close tags. */
function mendParameters({ syntax, tool }: TaggedCall, text: string, hasEnd: boolean): MendedJson | undefined {
  const { callClose, parameterOpen, parameterClose, equals, breaksBefore } = syntax;
  const [body, after] = cutAt(text, callClose);
  if (after === undefined && !hasEnd) return undefined;
  const padding = breaksBefore ? /^\n|\n$/g : /\s*\n\s*$/;
  const members: string[] = [];
  for (const part of splitAtEdge(body, parameterOpen).slice(1)) {
    const key = nameAt(part);
    const rest = part.slice(key.length);
    const found = longestEdge(rest, [...equals.keys()]);
    if (key.trim() === '' || !found) return undefined;
    const value = cutAt(rest.slice(found.length), parameterClose)[0].replace(padding, '');
    const types = decidingTypes(parameterTypes(tool, key.trim()), equals.get(found.edge)!);
    members.push(`${JSON.stringify(key.trim())}: ${valueText(value, types)}`);
  }
  return { json: `{${members.join(', ')}}`, end: text.length - (after?.length ?? 0) };
}

/** A text before a mark, and after it where it has one. */
function cutAt(text: string, mark: string): [before: string, after?: string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}

function* readParameter(call: TaggedCall, separator: string): Reading<boolean> {
  const { input, syntax, tool } = call;
  const name = (yield* input.takeWhile((unit) => nameAt(unit) !== '', longestName)).trim();
  const found = name === '' ? undefined : yield* takeEdge(input, [...syntax.equals.keys()]);
  if (!found) return false;
  const own = parameterTypes(tool, name);
  const types = decidingTypes(own, syntax.equals.get(found.edge)!);
  const prefix = `${separator}${JSON.stringify(name)}: `;
  if (input.canReadAgain && tool && !own && separator === '{' && wrappers.has(name))
    return yield* readWrapper(call, tool, prefix, types);
  input.addArguments(prefix);
  if (!input.canReadAgain) {
    if (!syntax.hasQuotes && areText(types)) return yield* readString(call);
    const sign = yield* jsonStart(input, types, syntax.hasQuotes);
    if (sign !== null)
      return yield* syntax.hasPython && sign !== '"' ? readPython(call, types) : readJson(call);
  }
  return yield* readWhole(call, types);
}

/** The name of a parameter at the start of a text. */
function nameAt(text: string): string {
  return /^[^<>"\n{}]*/.exec(text)![0];
}

/** The tool's schema counts, unless it leaves open whether the value is a string. */
function decidingTypes(own: Types | undefined, told: Types): Types {
  const isOpen = own === undefined || own.length === 0 || (own.includes('string') && !areText(own));
  if (!isOpen || told.length === 0) return own ?? [];
  // Numbers, booleans and the like are told together: they are what they look like.
  return told.length === 1 ? told : [];
}

/** Names that models write for all arguments together. */
const wrappers: ReadonlySet<string> = new Set(['arguments', 'parameters', 'properties', 'input']);

/** Reads a parameter that the tool doesn't have: where its value is an object of those that it has, they are meant. */
function* readWrapper(
  call: TaggedCall,
  tool: ToolDefinition,
  prefix: string,
  types: Types,
): Reading<boolean> {
  const value = yield* takeRawValue(call);
  if (value === undefined) return false;
  const json = mendJson(value.trim(), { tool })?.json ?? '';
  const isWrapped = json.startsWith('{') && json !== '{}' && namesAll(json, tool);
  call.input.addArguments(isWrapped ? json.slice(0, -1) : prefix + valueText(value, types));
  return true;
}

/** Gives a string out while it comes. */
function* readString(call: TaggedCall): Reading<boolean> {
  const { input } = call;
  input.addArguments('"');
  const isWhole = yield* readRawValue(call, (text) => {
    input.addArguments(JSON.stringify(text).slice(1, -1));
  });
  if (isWhole) input.addArguments('"');
  return isWhole;
}

/** The sign of an object or an array that comes next, where the schema allows one, or of a string with quotes. */
function* jsonStart(input: AnswerInput, types: Types, hasQuotes: boolean): Reading<string | null> {
  const space = yield* input.takeSpace();
  const sign = yield* input.peekAny(hasQuotes ? ['{', '[', '"'] : ['{', '[']);
  input.putBack(space.length);
  const type = sign === '"' ? 'string' : sign === '{' ? 'object' : 'array';
  return types.length === 0 || types.includes(type) ? sign : null;
}

/** Gives JSON out while it comes; tags inside of it mean nothing. */
function* readJson({ input, syntax }: TaggedCall): Reading<boolean> {
  const isWhole = yield* takeJson(input, (piece) => input.addArguments(piece));
  yield* input.takeSpace();
  return (yield* takeEdge(input, [syntax.parameterClose])) !== undefined && isWhole;
}

/** Reads a list or an object as Python has them; tags inside of it mean nothing. */
function* readPython({ input, syntax }: TaggedCall, types: Types): Reading<boolean> {
  yield* input.takeSpace();
  const { length } = input.held;
  input.take(1);
  const isWhole = yield* takeBalanced(input);
  const text = input.held.slice(length);
  if (!isWhole || (yield* takeEdge(input, [syntax.parameterClose])) === undefined) return false;
  input.addArguments(valueText(text, types));
  return true;
}

function* readWhole(call: TaggedCall, types: Types): Reading<boolean> {
  const { input } = call;
  const value = yield* takeRawValue(call);
  if (value === undefined) return false;
  const { hasQuotes } = call.syntax;
  const isQuoted = hasQuotes && /^\s*"/.test(value) && isJson(value);
  const json = isQuoted
    ? value.trim()
    : valueText(/^\s*<!\[CDATA\[([^]*)\]\]>\s*$/.exec(value)?.[1] ?? value, types);
  const isText = json.startsWith('"');
  if (isText && input.canReadAgain && holdsTags(value, call)) return false;
  input.addArguments(json);
  return true;
}

/** Whether a value shows that it lacks a close tag: it holds another parameter of the tool, or the end of all calls. */
function holdsTags(value: string, { input, syntax, tool }: TaggedCall): boolean {
  const { parameterOpen, equals, callClose } = syntax;
  const isOther = (text: string): boolean => {
    const name = nameAt(text);
    const isKnown = tool === undefined ? name !== '' : parameterNames(tool).includes(name);
    return isKnown && [...equals.keys()].some((edge) => text.startsWith(tagsOf(edge)[0]!, name.length));
  };
  if (splitAtEdge(value, parameterOpen).slice(1).some(isOther)) return true;
  const [, rest = ''] = cutAt(value, callClose);
  return input.callEnds.some((end) => rest.trimStart().startsWith(end));
}

/** A value without its padding and close tag; `undefined` if the answer ended inside. */
function* takeRawValue(call: TaggedCall): Reading<string | undefined> {
  let value = '';
  const isWhole = yield* readRawValue(call, (text) => (value += text));
  return isWhole ? value : undefined;
}

/** Hands on a value without its padding and close tag; false if the answer ended inside. What is read is held. */
function* readRawValue({ input, syntax }: TaggedCall, emit: (text: string) => void): Reading<boolean> {
  const { parameterOpen, parameterClose, callClose, breaksBefore, breaksBehind } = syntax;
  if (breaksBefore) yield* input.takeAny(['\n']);
  let lineBreak = '';
  const emitBeforeLineBreak = (text: string): void => {
    const whole = lineBreak + text;
    lineBreak = breaksBehind && whole.endsWith('\n') ? '\n' : '';
    const certain = whole.slice(0, whole.length - lineBreak.length);
    if (certain !== '') emit(certain);
  };
  const hold = (text: string): void => {
    input.hold(text);
    emitBeforeLineBreak(text);
  };
  for (;;) {
    const marker = yield* input.takeUntil([parameterClose], hold, [parameterClose]);
    if (marker === null) {
      if (lineBreak !== '') emit(lineBreak);
      return false;
    }
    const space = yield* input.takeSpace();
    const follows = yield* peekEdge(input, [parameterOpen, callClose]);
    if (follows !== undefined || input.isComplete) return true;
    emitBeforeLineBreak(marker + space);
  }
}
