import type { ToolDefinition } from '../messages.ts';
import { isJson } from '../../text/bounded-json.ts';
import type { Reading } from '../text-input.ts';
import type { AnswerInput } from './answer-input.ts';
import {
  findLongestEdge,
  peekEdge,
  splitAtEdge,
  tagsOf,
  tagSyntax,
  takeEdge,
  type TagSyntax,
} from './edges.ts';
import { takeBalanced } from './literal-calls.ts';
import { readJsonArguments, takeJson } from './json-calls.ts';
import { mendJson, namesAll, valueText, type MendedJson } from './mend-json.ts';
import { areText, parameterNames, parameterTypes, type Types } from './schema-types.ts';
import type { Edge, ItemsNotation } from './notation.ts';

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
export function* readTaggedCall(input: AnswerInput, notation: ItemsNotation, name: string): Reading<boolean> {
  const syntax = tagSyntax(notation);
  const { nameEnd, parameterOpen, callClose } = syntax;
  const { length } = input.held;
  const isNamed = (yield* takeEdge(input, [nameEnd])) !== undefined;
  if (!isNamed && (yield* takeEdge(input, ['" />', ' />'])) !== undefined) {
    input.addCall(name, '{}');
    return true;
  }
  yield* input.takeSpace();
  if (isNamed && nameEnd !== '' && (yield* input.peekAny(['{'])) !== null) {
    const isRead = yield* readJsonArguments(input, name);
    if (isRead) yield* takeEdge(input, [callClose]);
    return isRead;
  }
  const follows = yield* peekEdge(input, [parameterOpen, callClose]);
  if (!isNamed || follows === undefined) return false;
  const call: TaggedCall = { input, syntax, tool: input.toolNamed(name) };
  input.startCall(name);
  const mend = (text: string, hasEnd: boolean) => mendParameters(call, text, hasEnd);
  return (yield* readParameters(call)) || (yield* input.mendCall({ name, length, mend }));
}

function* readParameters(call: TaggedCall): Reading<boolean> {
  const { input, syntax } = call;
  let separator = '{';
  for (; (yield* takeEdge(input, [syntax.parameterOpen])) !== undefined; separator = ', ') {
    if (!(yield* readParameter(call, separator))) return false;
    yield* input.dropSpace();
  }
  if ((yield* takeEdge(input, [syntax.callClose])) === undefined && !input.isComplete) return false;
  input.addArguments(separator === '{' ? '{}' : '}');
  input.emit({ type: 'call-end' });
  return true;
}

function* readParameter(call: TaggedCall, separator: string): Reading<boolean> {
  const { input, syntax, tool } = call;
  const name = (yield* input.takeWhile((unit) => nameAt(unit) !== '', maxNameLength)).trim();
  const found = name === '' ? undefined : yield* takeEdge(input, syntax.equals);
  if (!found) return false;
  const types = typesOf(call, name, found.edge);
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
  input.addArguments((separator === '{' && wrappedMembers(name, value, tool)) || prefix + json);
  return true;
}

function mendParameters(call: TaggedCall, text: string, hasEnd: boolean): MendedJson | undefined {
  const { callClose, parameterOpen, parameterClose, breaksBefore, equals } = call.syntax;
  const [body, after] = cutAt(text, callClose);
  if (after === undefined && !hasEnd) return undefined;
  const padding = breaksBefore ? /^\n|\n$/g : /\s*\n\s*$/;
  const members: string[] = [];
  for (const part of splitAtEdge(body, parameterOpen).slice(1)) {
    const written = nameAt(part);
    const name = written.trim();
    const found = findLongestEdge(part.slice(written.length), equals);
    if (name === '' || !found) return undefined;
    const rest = part.slice(written.length + found.length);
    const value = cutAt(rest, parameterClose)[0].replace(padding, '');
    const json = toJson(value, typesOf(call, name, found.edge), call.syntax);
    members.push(`${JSON.stringify(name)}: ${json}`);
  }
  return { json: `{${members.join(', ')}}`, end: text.length - (after?.length ?? 0) };
}

/** The text before a mark, and the text after it if the mark occurs. */
function cutAt(text: string, mark: string): [before: string, after?: string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}

function nameAt(text: string): string {
  return /^[^<>"\n{}]*/.exec(text)![0];
}

function toJson(value: string, types: Types, { hasQuotes }: TagSyntax): string {
  if (hasQuotes && /^\s*"/.test(value) && isJson(value)) return value.trim();
  return valueText(/^\s*<!\[CDATA\[([^]*)\]\]>\s*$/.exec(value)?.[1] ?? value, types);
}

/**
 * Types allowed for a value: those of the tool's schema, or the type that its tags show if the schema doesn't decide whether it is
 * a string. Tags that several types share show none: the value is what it looks like.
 */
function typesOf({ syntax, tool }: TaggedCall, name: string, edge: Edge): Types {
  const own = parameterTypes(tool, name) ?? [];
  const isOpen = own.length === 0 || (own.includes('string') && !areText(own));
  const told = Object.entries(syntax.notation.equals).filter(([, other]) => other === edge);
  if (!isOpen || syntax.equals.length === 1 || told.length === 0) return own;
  return told.length === 1 ? told.map(([type]) => type) : [];
}

/** Names that models write for all arguments together. */
const wrapper = /^(?:arguments|parameters|properties|input)$/;

/** The members of an unknown parameter, if they are parameters of the tool. */
function wrappedMembers(name: string, value: string, tool: ToolDefinition | undefined): string | undefined {
  if (!tool || !wrapper.test(name) || parameterTypes(tool, name)) return undefined;
  const json = mendJson(value.trim(), { tool })?.json ?? '';
  return json.startsWith('{') && json !== '{}' && namesAll(json, tool) ? json.slice(0, -1) : undefined;
}

/** Whether a value lacks its close tag: it contains a further parameter of the tool, or the end of all calls. */
function holdsTags(value: string, { input, syntax, tool }: TaggedCall): boolean {
  const signs = syntax.equals.map((edge) => tagsOf(edge)[0]!);
  const isOther = (text: string): boolean => {
    const name = nameAt(text);
    const isKnown = tool === undefined ? name !== '' : parameterNames(tool).includes(name);
    return isKnown && signs.some((sign) => text.startsWith(sign, name.length));
  };
  if (splitAtEdge(value, syntax.parameterOpen).slice(1).some(isOther)) return true;
  const [, rest = ''] = cutAt(value, syntax.callClose);
  return input.callEnds.some((end) => rest.trimStart().startsWith(end));
}

/** Emits a value while it arrives, if its types allow that. */
function* streamValue(call: TaggedCall, types: Types): Reading<boolean> {
  const { input, syntax } = call;
  const { hasQuotes, hasPython, parameterClose } = syntax;
  const isText = !hasQuotes && areText(types);
  const sign = isText ? undefined : ((yield* peekEdge(input, signs))?.edge as Sign | undefined);
  if (sign && (sign !== '"' || hasQuotes) && (types.length === 0 || types.includes(typeOfSign[sign]))) {
    // Tags inside of it mean nothing.
    const isPython = hasPython && sign !== '"';
    if (isPython) yield* input.takeSpace();
    const { length } = input.held;
    if (isPython) input.take(1);
    const isWhole = isPython
      ? yield* takeBalanced(input)
      : (yield* takeJson(input, (piece) => input.addArguments(piece))) !== undefined;
    if (isPython && isWhole) input.addArguments(valueText(input.held.slice(length), types));
    return isWhole && (yield* takeEdge(input, [parameterClose])) !== undefined;
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

const typeOfSign = { '{': 'object', '[': 'array', '"': 'string' } as const;
type Sign = keyof typeof typeOfSign;
const signs = Object.keys(typeOfSign);

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
