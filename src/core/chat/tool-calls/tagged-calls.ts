import type { ToolDefinition } from '../messages.ts';
import { isJson } from '../../text/bounded-json.ts';
import type { Reading } from '../text-input.ts';
import type { AnswerInput } from './answer-input.ts';
import {
  equalsOf,
  findLongestEdge,
  peekEdge,
  splitAtEdge,
  tagsOf,
  takeEdge,
  type FoundEdge,
} from './edges.ts';
import { takeBalanced } from './literal-calls.ts';
import { readJsonArguments, takeJson } from './json-calls.ts';
import { mendJson, namesAll, valueText, type MendedJson } from './mend-json.ts';
import { areText, parameterNames, parameterTypes, type Types } from './schema-types.ts';
import type { ItemsNotation } from './notation.ts';

interface TaggedCall {
  readonly input: AnswerInput;
  readonly notation: ItemsNotation;
  readonly tool: ToolDefinition | undefined;
  /** Edges from the start of a parameter to its value, by the edge between key and value. */
  readonly starts: ReadonlyMap<string, string>;
  readonly close: string;
  readonly end: string;
}

/**
 * Reads the parameters of a call: `> <parameter=city> Paris </parameter> </function>`. Values have no quotes; the tool's schema
 * gives their types. A call without some close tags is read again if that is safe. One JSON object may replace the parameters.
 */
export function* readTaggedCall(input: AnswerInput, notation: ItemsNotation, name: string): Reading<boolean> {
  const { none, next, close } = notation;
  const end = tagsOf(notation.end)[0] ?? '';
  const { length } = input.held;
  const isNamed = (yield* takeEdge(input, [none])) !== undefined;
  if (!isNamed && (yield* takeEdge(input, ['" />', ' />'])) !== undefined) {
    input.addCall(name, '{}');
    return true;
  }
  yield* input.takeSpace();
  if (isNamed && none.trim() !== '' && (yield* input.peekAny(['{'])) !== null) {
    const isRead = yield* readJsonArguments(input, name);
    if (isRead) yield* takeEdge(input, [end]);
    return isRead;
  }
  const follows = yield* peekEdge(input, [next, end]);
  if (!isNamed || follows === undefined) return false;
  const starts = new Map(equalsOf(notation).map((equals) => [`${next.trim()}⟨key⟩ ${equals}`, equals]));
  const call = { input, notation, tool: input.toolNamed(name), starts, close: close.trim(), end };
  input.startCall(name);
  const mend = (text: string, hasEnd: boolean) => mendParameters(call, text, hasEnd);
  return (yield* readParameters(call)) || (yield* input.mendCall({ name, length, mend }));
}

function* readParameters(call: TaggedCall): Reading<boolean> {
  const { input, starts, end } = call;
  let separator = '{';
  for (let start; (start = yield* takeEdge(input, [...starts.keys()])) !== undefined; separator = ', ') {
    if (!(yield* readParameter(call, start, separator))) return false;
    yield* input.dropSpace();
  }
  if ((yield* takeEdge(input, [end])) === undefined && !input.isComplete) return false;
  input.addArguments(separator === '{' ? '{}' : '}');
  input.emit({ type: 'call-end' });
  return true;
}

function* readParameter(call: TaggedCall, start: FoundEdge, separator: string): Reading<boolean> {
  const { input, notation, tool } = call;
  const name = start.slots.key!.trim();
  if (name === '') return false;
  const types = typesOf(call, start);
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
  const json = toJson(value, types, notation);
  if (json.startsWith('"') && holdsTags(value, call)) return false;
  input.addArguments((separator === '{' && wrappedMembers(name, value, tool)) || prefix + json);
  return true;
}

function mendParameters(call: TaggedCall, text: string, hasEnd: boolean): MendedJson | undefined {
  const { notation, starts, close, end } = call;
  const [body, after] = cutAt(text, end);
  if (after === undefined && !hasEnd) return undefined;
  const padding = breaksValues(notation) ? /^\n|\n$/g : /\s*\n\s*$/;
  const members: string[] = [];
  for (const part of splitAtEdge(body, notation.next).slice(1)) {
    const parameter = notation.next.trim() + part;
    const start = findLongestEdge(parameter, [...starts.keys()]);
    const name = start?.slots.key?.trim() ?? '';
    if (!start || name === '') return undefined;
    const value = cutAt(parameter.slice(start.length), close)[0].replace(padding, '');
    members.push(`${JSON.stringify(name)}: ${toJson(value, typesOf(call, start), notation)}`);
  }
  return { json: `{${members.join(', ')}}`, end: text.length - (after?.length ?? 0) };
}

/** Whether one line break before a value is no part of it. */
function breaksValues({ equals }: ItemsNotation): boolean {
  return equals.string.endsWith('\n');
}

/** The text before a mark, and the text after it if the mark occurs. */
function cutAt(text: string, mark: string): [before: string, after?: string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}

function toJson(value: string, types: Types, { values }: ItemsNotation): string {
  if (values.string !== 'raw' && /^\s*"/.test(value) && isJson(value)) return value.trim();
  return valueText(/^\s*<!\[CDATA\[([^]*)\]\]>\s*$/.exec(value)?.[1] ?? value, types);
}

/**
 * Types allowed for a value: the types of the tool's schema, or the type that its tags show if the schema doesn't decide whether it is
 * a string. Tags that several types share show none: the value is what it looks like.
 */
function typesOf({ notation, starts, tool }: TaggedCall, { edge, slots }: FoundEdge): Types {
  const own = parameterTypes(tool, slots.key!.trim()) ?? [];
  const isOpen = own.length === 0 || (own.includes('string') && !areText(own));
  const told = Object.entries(notation.equals).filter(([, equals]) => equals === starts.get(edge));
  if (!isOpen || starts.size === 1 || told.length === 0) return own;
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
function holdsTags(value: string, { input, notation, tool, starts, end }: TaggedCall): boolean {
  const signs = [...starts.values()].map((equals) => tagsOf(equals)[0]!);
  const isOther = (text: string): boolean => {
    const name = /^[^<>"\n{}]*/.exec(text)![0];
    const isKnown = tool === undefined ? name !== '' : parameterNames(tool).includes(name);
    return isKnown && signs.some((sign) => text.startsWith(sign, name.length));
  };
  if (splitAtEdge(value, notation.next).slice(1).some(isOther)) return true;
  const [, rest = ''] = cutAt(value, end);
  return input.callEnds.some((mark) => rest.trimStart().startsWith(mark));
}

/** Emits a value while it arrives, if its types allow that. */
function* streamValue(call: TaggedCall, types: Types): Reading<boolean> {
  const { input, notation, close } = call;
  const hasQuotes = notation.values.string !== 'raw';
  const isText = !hasQuotes && areText(types);
  const sign = isText ? undefined : ((yield* peekEdge(input, signs))?.edge as Sign | undefined);
  if (sign && (sign !== '"' || hasQuotes) && (types.length === 0 || types.includes(typeOfSign[sign]))) {
    // Tags inside of it mean nothing.
    const isPython = notation.values.object === 'python' && sign !== '"';
    if (isPython) yield* input.takeSpace();
    const { length } = input.held;
    if (isPython) input.take(1);
    const isWhole = isPython
      ? yield* takeBalanced(input)
      : (yield* takeJson(input, (piece) => input.addArguments(piece))) !== undefined;
    if (isPython && isWhole) input.addArguments(valueText(input.held.slice(length), types));
    return isWhole && (yield* takeEdge(input, [close])) !== undefined;
  }
  let value = '';
  if (isText) input.addArguments('"');
  const isWhole = yield* readRawValue(call, (text) => {
    if (isText) input.addArguments(JSON.stringify(text).slice(1, -1));
    else value += text;
  });
  if (isWhole) input.addArguments(isText ? '"' : toJson(value, types, notation));
  return isWhole;
}

const typeOfSign = { '{': 'object', '[': 'array', '"': 'string' } as const;
type Sign = keyof typeof typeOfSign;
const signs = Object.keys(typeOfSign);

/** Emits a value without its padding and close tag, and holds its text; false if the answer ended within it. */
function* readRawValue(
  { input, notation, close, end }: TaggedCall,
  emit: (text: string) => void,
): Reading<boolean> {
  const ends = notation.close.startsWith('\n') ? [`\n${close}`, close] : [close];
  if (breaksValues(notation)) yield* input.takeAny(['\n']);
  for (;;) {
    const marker = yield* input.takeUntil(ends, emit, ends);
    if (marker === null) return false;
    if ((yield* peekEdge(input, [notation.next, end])) !== undefined) return true;
    const space = yield* input.takeSpace();
    if (input.isComplete) return true;
    input.putBack(space.length);
    emit(marker);
  }
}
