import type { ToolDefinition } from '../messages.ts';
import { isJson } from '../../text/bounded-json.ts';
import type { Reading } from '../text-input.ts';
import type { AnswerInput } from './answer-input.ts';
import { findLongestEdge, peekEdge, splitAtEdge, tagsOf, takeEdge } from './edges.ts';
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

const maxNameLength = 256;

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
    return yield* input.dropSpace();
  }
  yield* input.takeSpace();
  if (isNamed && nameEnd !== '' && (yield* input.peekAny(['{'])) !== null) {
    const isRead = yield* readJsonArguments(input, name);
    if (isRead && (yield* takeEdge(input, [callClose])) !== undefined) yield* input.dropSpace();
    return;
  }
  const follows = yield* peekEdge(input, [parameterOpen, callClose]);
  if (!isNamed || follows === undefined) return input.giveUp();
  const call: TaggedCall = { input, syntax, tool: input.toolNamed(name) };
  input.startCall(name);
  const mend = (text: string, hasEnd: boolean) => mendParameters(call, text, hasEnd);
  const isRead = (yield* readParameters(call)) || (yield* input.mendCall(name, { length, mend }));
  if (isRead) yield* input.dropSpace();
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

function* readParameter(call: TaggedCall, separator: string): Reading<boolean> {
  const { input, syntax, tool } = call;
  const name = (yield* input.takeWhile((unit) => nameAt(unit) !== '', maxNameLength)).trim();
  const found = name === '' ? undefined : yield* takeEdge(input, [...syntax.equals.keys()]);
  if (!found) return false;
  const own = parameterTypes(tool, name);
  const types = decidingTypes(own, syntax.equals.get(found.edge)!);
  const prefix = `${separator}${JSON.stringify(name)}: `;
  if (!input.canReadAgain) {
    input.addArguments(prefix);
    return yield* streamValue(call, types);
  }
  let value = '';
  if (!(yield* readRawValue(call, (text) => (value += text)))) {
    input.addArguments(prefix);
    return false;
  }
  const json = toJson(value, types, syntax);
  if (json.startsWith('"') && holdsTags(value, call)) return false;
  const isWrapper = tool && !own && separator === '{' && wrappers.has(name);
  input.addArguments((isWrapper && wrappedMembers(value, tool)) || prefix + json);
  return true;
}

/** Reads a call with missing close tags. */
function mendParameters({ syntax, tool }: TaggedCall, text: string, hasEnd: boolean): MendedJson | undefined {
  const { callClose, parameterOpen, parameterClose, breaksBefore } = syntax;
  const [body, after] = cutAt(text, callClose);
  if (after === undefined && !hasEnd) return undefined;
  const padding = breaksBefore ? /^\n|\n$/g : /\s*\n\s*$/;
  const members: string[] = [];
  for (const part of splitAtEdge(body, parameterOpen).slice(1)) {
    const head = headOf(part, syntax);
    if (!head) return undefined;
    const value = cutAt(part.slice(head.length), parameterClose)[0].replace(padding, '');
    const types = decidingTypes(parameterTypes(tool, head.name), head.told);
    members.push(`${JSON.stringify(head.name)}: ${toJson(value, types, syntax)}`);
  }
  return { json: `{${members.join(', ')}}`, end: text.length - (after?.length ?? 0) };
}

/** The text before a mark, and the text after it if the mark occurs. */
function cutAt(text: string, mark: string): [before: string, after?: string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}

/** The name of a parameter at the start of a text. */
function nameAt(text: string): string {
  return /^[^<>"\n{}]*/.exec(text)![0];
}

/** The head of a parameter: its name, and the types that its tags show. */
function headOf(text: string, { equals }: TagSyntax) {
  const name = nameAt(text);
  const found = findLongestEdge(text.slice(name.length), [...equals.keys()]);
  if (name.trim() === '' || !found) return undefined;
  return { name: name.trim(), told: equals.get(found.edge)!, length: name.length + found.length };
}

function toJson(value: string, types: Types, { hasQuotes }: TagSyntax): string {
  if (hasQuotes && /^\s*"/.test(value) && isJson(value)) return value.trim();
  return valueText(/^\s*<!\[CDATA\[([^]*)\]\]>\s*$/.exec(value)?.[1] ?? value, types);
}

/** The tool's schema counts, unless it leaves open whether the value is a string. */
function decidingTypes(own: Types | undefined, told: Types): Types {
  const isOpen = own === undefined || own.length === 0 || (own.includes('string') && !areText(own));
  if (!isOpen || told.length === 0) return own ?? [];
  // Tags that several types share show none: the value is what it looks like.
  return told.length === 1 ? told : [];
}

/** Names that models write for all arguments together. */
const wrappers: ReadonlySet<string> = new Set(['arguments', 'parameters', 'properties', 'input']);

/** The members of an unknown parameter, if they are parameters of the tool. */
function wrappedMembers(value: string, tool: ToolDefinition): string | undefined {
  const json = mendJson(value.trim(), { tool })?.json ?? '';
  return json.startsWith('{') && json !== '{}' && namesAll(json, tool) ? json.slice(0, -1) : undefined;
}

/** Whether a value lacks its close tag: it contains a further parameter of the tool, or the end of all calls. */
function holdsTags(value: string, { input, syntax, tool }: TaggedCall): boolean {
  const isOther = (text: string): boolean => {
    const name = nameAt(text);
    const isKnown = tool === undefined ? name !== '' : parameterNames(tool).includes(name);
    return (
      isKnown && [...syntax.equals.keys()].some((edge) => text.startsWith(tagsOf(edge)[0]!, name.length))
    );
  };
  if (splitAtEdge(value, syntax.parameterOpen).slice(1).some(isOther)) return true;
  const [, rest = ''] = cutAt(value, syntax.callClose);
  return input.callEnds.some((end) => rest.trimStart().startsWith(end));
}

/** Emits a value while it arrives, if its types allow that. */
function* streamValue(call: TaggedCall, types: Types): Reading<boolean> {
  const { input, syntax } = call;
  const isText = !syntax.hasQuotes && areText(types);
  const sign = isText ? null : yield* jsonStart(input, types, syntax.hasQuotes);
  if (sign !== null) {
    // Tags inside of it mean nothing.
    const isPython = syntax.hasPython && sign !== '"';
    const isWhole = yield* isPython
      ? readPython(input, types)
      : takeJson(input, (piece) => input.addArguments(piece));
    return isWhole && (yield* takeEdge(input, [syntax.parameterClose])) !== undefined;
  }
  let value = '';
  if (isText) input.addArguments('"');
  const isWhole = yield* readRawValue(call, (text) => {
    if (isText) input.addArguments(JSON.stringify(text).slice(1, -1));
    else value += text;
  });
  if (isWhole) input.addArguments(isText ? '"' : toJson(value, types, syntax));
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

/** Reads a list or an object as Python has them. */
function* readPython(input: AnswerInput, types: Types): Reading<boolean> {
  yield* input.takeSpace();
  const { length } = input.held;
  input.take(1);
  const isWhole = yield* takeBalanced(input);
  if (isWhole) input.addArguments(valueText(input.held.slice(length), types));
  return isWhole;
}

/** Emits a value without its padding and close tag, and holds its text; false if the answer ended within it. */
function* readRawValue({ input, syntax }: TaggedCall, emit: (text: string) => void): Reading<boolean> {
  const { parameterOpen, parameterClose, callClose, breaksBefore, breaksBehind } = syntax;
  const ends = breaksBehind ? [`\n${parameterClose}`, parameterClose] : [parameterClose];
  if (breaksBefore) yield* input.takeAny(['\n']);
  for (;;) {
    const marker = yield* input.takeUntil(ends, emit, ends);
    if (marker === null) return false;
    if ((yield* peekEdge(input, [parameterOpen, callClose])) !== undefined) return true;
    const space = yield* input.takeSpace();
    if (input.isComplete) return true;
    input.putBack(space.length);
    emit(marker);
  }
}
