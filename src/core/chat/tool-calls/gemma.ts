import { exactEntries, parseExact, writeExact } from '../../text/exact-json.ts';
import type { ToolDefinition } from '../messages.ts';
import type { AnswerInput, Reading } from './answer-input.ts';
import { namedCall } from './call-frame.ts';
import { defineFormat, type FormatRow } from './define-format.ts';
import type { ToolCallFormat } from './format.ts';
import { readName } from './json-calls.ts';
import { readLiteral, type LiteralDialect } from './literal.ts';
import { membersOf } from './write-calls.ts';
import { isStringSchema, parameterSchema, toJsonText } from './schema-types.ts';
import { refer, rule, sequence, text, type Expression } from '../../grammar/languages/expression.ts';
import { matching } from '../../grammar/languages/regular-expression.ts';
import {
  anyStringOf,
  containing,
  literalNotation,
  namesOf,
  rawString,
  type ArgumentsNotation,
  type StringSet,
} from '../../grammar/schemas/notation.ts';

/** `call:name{…}` between `<start_function_call>` and `<end_function_call>`, strings between `<escape>`. */
export const functionGemmaFormat = gemmaFormat(
  'function-gemma',
  { FunctionGemma: ['FunctionGemma 270M'] },
  { open: '<start_function_call>', end: '<end_function_call>', quote: '<escape>' },
  '<start_function_',
);

/** `call:name{…}` between `<|tool_call>` and `<tool_call|>`, strings between `<|"|>`. */
export const gemma4Format = gemmaFormat(
  'gemma-4',
  { 'Gemma 4': ['Gemma 4'] },
  { open: '<|tool_call>', end: '<tool_call|>', quote: '<|"|>' },
);

interface GemmaTags {
  readonly open: string;
  readonly end: string;
  /** Stands on both sides of a string. */
  readonly quote: string;
}

function gemmaFormat(
  name: string,
  families: FormatRow['families'],
  { open, end, quote }: GemmaTags,
  detect = open,
): ToolCallFormat {
  const dialect: LiteralDialect = {
    quotes: ['"'],
    rawQuotes: [quote],
    hasBareKeys: true,
    hasBareStrings: true,
  };
  return defineFormat({
    name,
    families,
    markers: [open, end, quote],
    calls: {
      open: [open],
      end: [end],
      *readCalls(input) {
        while (yield* readCall(input, dialect));
      },
    },
    frame: { open: `${open}call:`, close: end, separator: '', trigger: open },
    call: namedCall(''),
    notation: { arguments: gemmaArguments(quote) },
    writeArguments: (json) => writeGemma(Object.fromEntries(membersOf(json)), quote),
    detect,
  });
}

/** Reads `call:name{…}`; false if there is none, or it was not finished. */
function* readCall(input: AnswerInput, dialect: LiteralDialect): Reading<boolean> {
  yield* input.takeSpace();
  // Models leave the word out.
  const isCall = (yield* input.takeAny(['call:', ':'])) !== null;
  const name = isCall ? yield* readName(input) : '';
  const isNamed = name !== '' && (yield* input.peekAny(['{'])) !== null;
  if (isNamed) input.startCall(name);
  const values = isNamed ? yield* readLiteral(input, dialect) : null;
  if (values === null) {
    input.giveUp();
    return false;
  }
  input.addArguments(typedMembers(values, input.toolNamed(name)));
  input.endCall();
  yield* input.dropSpace();
  return (yield* input.peekAny(['call:'])) !== null;
}

/** Models leave quotes out, and write numbers and booleans as strings; the tool's schema says what they are. */
function typedMembers(json: string, tool: ToolDefinition | undefined): string {
  const values = parseExact(json) as Readonly<Record<string, unknown>>;
  const typed = Object.entries(values).flatMap(([name, value]) => {
    const { type = [] } = parameterSchema(tool, name) ?? {};
    if (typeof value === 'string' ? type.length === 0 || type.includes('string') : !isStringSchema({ type }))
      return [];
    const asText = typeof value === 'string' ? value : writeExact(value);
    const written = parseExact(toJsonText(asText, { type }));
    return written === value ? [] : [[name, written] as const];
  });
  return typed.length === 0 ? json : writeExact({ ...values, ...Object.fromEntries(typed) });
}

const bareKey = /^[^\s:,{}[\]"<>|]+$/;
const anyBareKey = matching('[\\w-]{1,64}');

/** Literals with bare keys, and strings without escapes between marks of their own. */
function gemmaArguments(quote: string): () => ArgumentsNotation {
  const writeKey = (name: string): string => (bareKey.test(name) ? name : JSON.stringify(name));
  return () => (texts) => {
    const string = (strings: StringSet): Expression =>
      sequence(text(quote), rawString(strings, [containing(quote, texts)]), text(quote));
    return literalNotation({
      id: 'gemma',
      anyString: refer(rule('string', string(anyStringOf(texts)))),
      key: {
        any: anyBareKey,
        write: writeKey,
        of: (names, _, path) => namesOf(names, '^[A-Za-z0-9_-]{1,64}$', texts, path),
      },
      write: (value) => writeGemma(value, quote, writeKey),
      string,
    });
  };
}

/** A string that holds the mark is written as JSON has it. */
function writeGemma(value: unknown, quote: string, writeKey = (name: string) => name): string {
  const inner = (item: unknown): string => writeGemma(item, quote, writeKey);
  if (typeof value === 'string') return value.includes(quote) ? JSON.stringify(value) : quote + value + quote;
  if (Array.isArray(value)) return `[${value.map(inner).join(',')}]`;
  if (typeof value !== 'object' || value === null) return writeExact(value);
  const members = exactEntries(value).map(([key, item]) => `${writeKey(key)}:${inner(item)}`);
  return `{${members.join(',')}}`;
}
