import type { ToolDefinition } from '../messages.ts';
import type { AnswerInput, Reading } from './answer-input.ts';
import { readJsonArguments, takeJson } from './json-calls.ts';
import { fitsTool, mendJson, namesAll, schemasOf } from './mend-json.ts';
import { isStringSchema, parameterNames, parameterSchema, toJsonText, typesOf } from './schema-types.ts';

/** Notation of a call with one tag for each parameter. */
export interface TaggedCallSyntax {
  /** The name of the function that is meant by a written one, where models write others. */
  readonly toName?: ((written: string, tools: readonly ToolDefinition[]) => string) | undefined;
  /** Parts after the function's name, with optional white space between them. */
  readonly nameEnd: readonly string[];
  /** An attribute that stands between the name and what ends it, with the number of the call. */
  readonly nameAttribute?: string | undefined;
  /** Begins a parameter; its name follows. */
  readonly parameterOpen: string;
  /** Other texts that begin a parameter. */
  readonly otherParameterOpens?: readonly string[] | undefined;
  /** Parts between a parameter's name and its value, with optional white space between them. */
  readonly parameterNameEnd: readonly string[];
  readonly parameterClose: string;
  readonly callClose: string;
  /** Whether values stand on lines of their own, so that one line break on both sides is not part of them. */
  readonly hasPaddedValues?: boolean;
  /** Ends of a call without parameters, in place of `nameEnd`; in such formats arguments may also be one JSON object. */
  readonly selfClose?: readonly string[] | undefined;
  /** Marks after a parameter's name that give the value's type, with a schema for each. */
  readonly attributes?: ReadonlyMap<string, unknown> | undefined;
  /** Tags around the type of the value, which may stand after the first part of `parameterNameEnd`. */
  readonly typeTags?: readonly [open: string, close: string] | undefined;
}

/** The mark after a parameter's name for values of a type. */
export function attributeOf(type: string, { attributes }: TaggedCallSyntax): string {
  const told = [...(attributes ?? [])].map(([written, schema]) => ({ written, types: typesOf(schema) }));
  const own = told.find(({ types }) => types.includes(type)) ?? told.find(({ types }) => types.length === 0);
  return own?.written ?? '';
}

/** The call that is read. */
interface TaggedCall {
  readonly input: AnswerInput;
  readonly syntax: TaggedCallSyntax;
  readonly name: string;
  readonly tool: ToolDefinition | undefined;
}

const longestName = 256;
const escapedBreak = String.raw`\n`;

/**
 * Reads one call from its name on: ```text get_weather> <parameter=city> Paris </parameter> </function> ``` Values stand there
 * without quotes and escapes; what type they have is known from the tool's schema (see `toJsonText`). Text is given out as it
 * comes where a grammar keeps calls whole.
 */
export function* readTaggedCall(input: AnswerInput, syntax: TaggedCallSyntax): Reading {
  const { nameEnd, callClose } = syntax;
  const follows = [...parameterOpens(syntax), callClose];
  const { length } = input.held;
  const written = (yield* input.takeWhile(isNameUnit, longestName)).trim().replace(/(?:\\n)+$/, '');
  const name = syntax.toName?.(written, input.tools) ?? written;
  if (syntax.nameAttribute !== undefined)
    yield* input.takeWhile((unit) => !/[<>\n{}]/.test(unit), longestName);
  if (name !== '' && syntax.selfClose && (yield* input.takeAny(syntax.selfClose)) !== null) {
    input.addCall(name, '{}');
    yield* input.dropSpace();
    return;
  }
  const isNamed = name !== '' && (yield* takeParts(input, nameEnd));
  if (isNamed) yield* takeGap(input);
  if (isNamed && syntax.selfClose && (yield* input.peekAny(['{'])) !== null) {
    if (!(yield* readJsonArguments(input, name))) return;
    if ((yield* input.takeAny([callClose])) !== null) yield* input.dropSpace();
    return;
  }
  if (!isNamed || (yield* input.peekAny(follows)) === null) return input.giveUp();
  const call: TaggedCall = { input, syntax, name, tool: input.toolNamed(name) };
  input.startCall(name);
  if (!(yield* readParameters(call)) && !(yield* mendTaggedCall(call, length))) return input.giveUp();
  input.endCall();
  yield* input.dropSpace();
}

function parameterOpens({ parameterOpen, otherParameterOpens = [] }: TaggedCallSyntax): readonly string[] {
  return [parameterOpen, ...otherParameterOpens];
}

function* readParameters(call: TaggedCall): Reading<boolean> {
  const { input, syntax } = call;
  let parameters = 0;
  while ((yield* input.takeAny(parameterOpens(syntax))) !== null) {
    if (!(yield* readParameter(call, parameters === 0 ? '{' : ', '))) return false;
    parameters++;
    yield* input.dropSpace();
  }
  if ((yield* input.takeAny([syntax.callClose])) === null && !input.isComplete) return false;
  input.addArguments(parameters === 0 ? '{}' : '}');
  return true;
}

/** Reads a call with missing close tags once more, from where `length` units were held. */
function* mendTaggedCall({ input, syntax, name, tool }: TaggedCall, length: number): Reading<boolean> {
  const broken = yield* input.takeBrokenCall(length);
  if (broken === undefined) return false;
  const { text, hasEnd } = broken;
  const { callClose, parameterOpen, parameterClose, parameterNameEnd, hasPaddedValues } = syntax;
  const [body, after] = cutAt(text, callClose);
  if (after === undefined && !hasEnd) return false;
  const parts = (syntax.otherParameterOpens ?? []).reduce(
    (all, open) => all.replaceAll(open, parameterOpen),
    body,
  );
  const [nameEnd = '', valueOpen = ''] = parameterNameEnd;
  const padding = hasPaddedValues ? /^\n|\n$/g : /\s*\n\s*$/;
  const members: string[] = [];
  for (const part of parts.split(parameterOpen).slice(1)) {
    const [head, rest] = cutAt(part, nameEnd);
    const key = head.replace(/".*/, '');
    if (rest === undefined || !/^[^<>"\n]+$/.test(key)) return false;
    const [gap, value] = cutAt(rest, valueOpen);
    if (value === undefined || gap.trim() !== '') return false;
    const padded = cutAt(value, parameterClose)[0].replace(padding, '');
    const attribute = syntax.attributes?.get(head.slice(key.length));
    const schema = decidingSchema(parameterSchema(tool, key.trim()), attribute);
    members.push(`${JSON.stringify(key.trim())}: ${toJsonText(padded, schema)}`);
  }
  const json = `{${members.join(', ')}}`;
  if (!fitsTool(json, tool)) return false;
  input.putBack(after?.length ?? 0);
  input.startCall(name);
  input.addArguments(json);
  return true;
}

/** A text before a mark, and after it where it has one. */
function cutAt(text: string, mark: string): [before: string, after?: string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}

function* readParameter(call: TaggedCall, separator: string): Reading<boolean> {
  const { input, syntax, tool } = call;
  const name = yield* input.takeWhile(isNameUnit, longestName);
  if (name === '') return false;
  const attribute = yield* readAttribute(input, syntax);
  const [first, ...others] = syntax.parameterNameEnd;
  if (!(yield* takeParts(input, [first!]))) return false;
  if (others.length > 0) yield* takeGap(input);
  const told = syntax.typeTags && (yield* readType(input, syntax.typeTags));
  if (told === null || !(yield* takeParts(input, others))) return false;
  const own = parameterSchema(tool, name);
  const schema = decidingSchema(own, attribute) ?? told;
  const prefix = `${separator}${JSON.stringify(name)}: `;
  if (input.canReadAgain && tool && !own && separator === '{' && wrappers.has(name))
    return yield* readWrapper(call, tool, prefix, schema);
  input.addArguments(prefix);
  if (!input.canReadAgain) {
    if (isStringSchema(schema)) return yield* readString(call);
    if (yield* beginsJson(input, schema)) return yield* readJson(call);
  }
  return yield* readWhole(call, schema);
}

/** The tool's schema counts, unless it leaves open whether the value is a string. */
function decidingSchema(own: { readonly type: readonly string[] } | undefined, attribute: unknown): unknown {
  if (own === undefined || attribute === undefined) return own ?? attribute;
  const isOpen = own.type.length === 0 || (own.type.includes('string') && !isStringSchema(own));
  return isOpen ? attribute : own;
}

/** Names that models write for all arguments together. */
const wrappers: ReadonlySet<string> = new Set(['arguments', 'parameters', 'properties', 'input']);

/** Reads a parameter that the tool doesn't have: where its value is an object of those that it has, they are meant. */
function* readWrapper(
  call: TaggedCall,
  tool: ToolDefinition,
  prefix: string,
  schema: unknown,
): Reading<boolean> {
  const value = yield* takeRawValue(call);
  if (value === undefined) return false;
  const json = mendJson(value.trim(), { schemaOf: schemasOf(tool) })?.json ?? '';
  const isWrapped = json.startsWith('{') && json !== '{}' && namesAll(json, tool);
  call.input.addArguments(isWrapped ? json.slice(0, -1) : prefix + toJsonText(value, schema));
  return true;
}

/** The value's type by the parameter's tag itself, as a schema. */
function* readAttribute(input: AnswerInput, { attributes }: TaggedCallSyntax): Reading<unknown> {
  const found = attributes && (yield* input.takeAny([...attributes.keys()]));
  return found ? attributes.get(found) : undefined;
}

/** The value's type by a tag of its own, as a schema; `null` where the tag has no end. */
function* readType(input: AnswerInput, [open, close]: readonly [string, string]): Reading<unknown> {
  if ((yield* input.takeAny([open])) === null) return undefined;
  const type = (yield* input.takeWhile(isNameUnit, longestName)).trim();
  if ((yield* input.takeAny([close])) === null) return null;
  yield* takeGap(input);
  // A list may name its items' type in brackets.
  return { type: type.replace(/\[.*/, '') };
}

function isNameUnit(unit: string): boolean {
  return !/[<>"\n{}]/.test(unit);
}

/** Takes white space between tags; some models write a line break as its escape. */
function* takeGap(input: AnswerInput): Reading<string> {
  for (let gap = ''; ; gap += escapedBreak) {
    gap += yield* input.takeSpace();
    if ((yield* input.takeAny([escapedBreak])) === null) return gap;
  }
}

function* takeParts(input: AnswerInput, parts: readonly string[]): Reading<boolean> {
  for (const [index, part] of parts.entries()) {
    if (index > 0) yield* takeGap(input);
    if ((yield* input.takeAny([part])) === null) return false;
  }
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

/** Whether an object or an array comes next, where the schema allows one: a grammar leaves out strings like that. */
function* beginsJson(input: AnswerInput, schema: unknown): Reading<boolean> {
  const space = yield* input.takeSpace();
  const sign = yield* input.peekAny(['{', '[']);
  input.putBack(space.length);
  const types = typesOf(schema);
  return sign !== null && (types.length === 0 || types.includes(sign === '{' ? 'object' : 'array'));
}

/** Gives JSON out while it comes; tags inside of it mean nothing. */
function* readJson({ input, syntax }: TaggedCall): Reading<boolean> {
  const isWhole = yield* takeJson(input, (piece) => input.addArguments(piece));
  yield* input.takeSpace();
  return (yield* input.takeAny([syntax.parameterClose])) !== null && isWhole;
}

function* readWhole(call: TaggedCall, schema: unknown): Reading<boolean> {
  const { input } = call;
  const value = yield* takeRawValue(call);
  if (value === undefined) return false;
  const json = toJsonText(/^\s*<!\[CDATA\[([^]*)\]\]>\s*$/.exec(value)?.[1] ?? value, schema);
  const isText = json.startsWith('"');
  if (isText && input.canReadAgain && holdsTags(value, call)) return false;
  input.addArguments(json);
  return true;
}

/** Whether a value shows that it lacks a close tag: it holds another parameter of the tool, or the end of all calls. */
function holdsTags(value: string, { input, syntax, tool }: TaggedCall): boolean {
  const { parameterNameEnd, attributes, callClose } = syntax;
  const nameEnds = [...(attributes?.keys() ?? []), parameterNameEnd[0]!];
  const isOther = (text: string): boolean => {
    const name = /^[^<>"\n{}]+/.exec(text)?.[0] ?? '';
    const isKnown = tool === undefined ? name !== '' : parameterNames(tool).includes(name);
    return isKnown && nameEnds.some((end) => text.startsWith(end, name.length));
  };
  if (parameterOpens(syntax).some((open) => value.split(open).slice(1).some(isOther))) return true;
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
  const { parameterClose, callClose, hasPaddedValues = false } = syntax;
  if (hasPaddedValues) yield* input.takeAny(['\n']);
  let lineBreak = '';
  const emitBeforeLineBreak = (text: string): void => {
    const whole = lineBreak + text;
    lineBreak = hasPaddedValues && whole.endsWith('\n') ? '\n' : '';
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
    const space = yield* takeGap(input);
    const follows = [...parameterOpens(syntax), callClose];
    if ((yield* input.peekAny(follows)) !== null || input.isComplete) return true;
    emitBeforeLineBreak(marker + space);
  }
}
