import type { ToolDefinition } from '../messages.ts';
import type { AnswerInput, Reading } from './answer-input.ts';
import { isStringSchema, parameterSchema, toJsonText } from './schema-types.ts';

/** How a format writes a call whose parameters have a tag each. */
export interface TaggedCallSyntax {
  /** What follows the function's name: parts with optional white space between them. */
  readonly nameEnd: readonly string[];
  /** Begins a parameter; its name follows. */
  readonly parameterOpen: string;
  /** What stands between a parameter's name and its value: parts with optional white space between them. */
  readonly parameterNameEnd: readonly string[];
  readonly parameterClose: string;
  readonly callClose: string;
  /** Whether values stand on lines of their own, so that one line break on both sides is not part of them. */
  readonly hasPaddedValues: boolean;
}

const longestName = 256;

/**
 * Reads one call from its name on:
 *
 * ```text
 * get_weather>
 * <parameter=city>
 * Paris
 * </parameter>
 * </function>
 * ```
 *
 * Values stand there without quotes and escapes; what type they have is known from the tool's schema (see
 * `toJsonText`). Text is given out as it comes, other values when they are complete. A value ends at a close tag
 * that another parameter or the end of the call follows: any other one is part of it.
 *
 * The call is announced when its first parameter, or its end, has been seen. An answer that the model ended between
 * two parameters completes the call.
 */
export function* readTaggedCall(
  input: AnswerInput,
  tools: readonly ToolDefinition[],
  syntax: TaggedCallSyntax,
): Reading {
  const { nameEnd, parameterOpen, callClose } = syntax;
  const follows = [parameterOpen, callClose];
  const name = (yield* input.takeWhile(isNameUnit, longestName)).trim();
  const isNamed = name !== '' && (yield* takeParts(input, nameEnd));
  if (isNamed) yield* input.takeSpace();
  if (!isNamed || (yield* input.peekAny(follows)) === null) {
    input.giveUp();
    return;
  }
  const tool = tools.find((candidate) => candidate.name === name);
  input.startCall(name);
  let parameters = 0;
  while ((yield* input.takeAny([parameterOpen])) !== null) {
    if (!(yield* readParameter(input, tool, syntax, parameters === 0 ? '{' : ', '))) {
      input.giveUp();
      return;
    }
    parameters++;
    yield* input.dropSpace();
  }
  if ((yield* input.takeAny([callClose])) === null && !input.isComplete) {
    input.giveUp();
    return;
  }
  input.addArguments(parameters === 0 ? '{}' : '}');
  input.endCall();
  yield* input.dropSpace();
}

function* readParameter(
  input: AnswerInput,
  tool: ToolDefinition | undefined,
  syntax: TaggedCallSyntax,
  separator: string,
): Reading<boolean> {
  const name = yield* input.takeWhile(isNameUnit, longestName);
  if (name === '' || !(yield* takeParts(input, syntax.parameterNameEnd))) return false;
  const schema = parameterSchema(tool, name);
  const readValue = isStringSchema(schema) ? readString : readOther;
  input.addArguments(`${separator}${JSON.stringify(name)}: `);
  return yield* readValue(input, syntax, schema);
}

function isNameUnit(unit: string): boolean {
  return !/[<>"\n{}]/.test(unit);
}

function* takeParts(input: AnswerInput, parts: readonly string[]): Reading<boolean> {
  for (const [index, part] of parts.entries()) {
    if (index > 0) yield* input.takeSpace();
    if ((yield* input.takeAny([part])) === null) return false;
  }
  return true;
}

/** Gives a string out while it comes. */
function* readString(input: AnswerInput, syntax: TaggedCallSyntax): Reading<boolean> {
  input.addArguments('"');
  const isWhole = yield* readRawValue(input, syntax, (text) => {
    input.addArguments(JSON.stringify(text).slice(1, -1));
  });
  if (isWhole) input.addArguments('"');
  return isWhole;
}

function* readOther(input: AnswerInput, syntax: TaggedCallSyntax, schema: unknown): Reading<boolean> {
  let value = '';
  const isWhole = yield* readRawValue(input, syntax, (text) => {
    value += text;
  });
  if (isWhole) input.addArguments(toJsonText(value, schema));
  else input.hold(value);
  return isWhole;
}

/** Hands on a value without its padding and close tag; false if the answer ended inside. */
function* readRawValue(
  input: AnswerInput,
  { parameterOpen, parameterClose, callClose, hasPaddedValues }: TaggedCallSyntax,
  emit: (text: string) => void,
): Reading<boolean> {
  if (hasPaddedValues) yield* input.takeAny(['\n']);
  let lineBreak = '';
  const emitBeforeLineBreak = (text: string): void => {
    const whole = lineBreak + text;
    lineBreak = hasPaddedValues && whole.endsWith('\n') ? '\n' : '';
    const certain = whole.slice(0, whole.length - lineBreak.length);
    if (certain !== '') emit(certain);
  };
  for (;;) {
    const marker = yield* input.takeUntil([parameterClose], emitBeforeLineBreak, [parameterClose]);
    if (marker === null) {
      if (lineBreak !== '') emit(lineBreak);
      return false;
    }
    const space = yield* input.takeSpace();
    if ((yield* input.peekAny([parameterOpen, callClose])) !== null || input.isComplete) return true;
    input.unhold(marker.length + space.length);
    emitBeforeLineBreak(marker + space);
  }
}
