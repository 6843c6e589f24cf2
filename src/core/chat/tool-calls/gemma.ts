import type { ToolDefinition } from '../messages.ts';
import type { AnswerInput, Reading } from './answer-input.ts';
import { framedCalls, namedCall } from './call-frame.ts';
import { defineFormat, type FormatRow } from './define-format.ts';
import type { ToolCallFormat } from './format.ts';
import { gemmaArguments, writeGemma } from './gemma-notation.ts';
import { readName } from './json-calls.ts';
import { readLiteral, type LiteralDialect } from './literal.ts';
import { membersOf } from './write-calls.ts';
import { isStringSchema, parameterSchema, toJsonText } from './schema-types.ts';

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
    constraint: framedCalls(
      { open: `${open}call:`, close: end, separator: '', trigger: open },
      namedCall(''),
      {
        arguments: gemmaArguments(quote),
      },
    ),
    write: (calls) =>
      calls
        .map(({ name: called, arguments: text }) => {
          const values = writeGemma(Object.fromEntries(membersOf(text)), quote);
          return `${open}call:${called}${values}${end}`;
        })
        .join(''),
    detect,
  });
}

/** Reads `call:name{…}`; false if there is none, or it was not finished. */
function* readCall(input: AnswerInput, dialect: LiteralDialect): Reading<boolean> {
  yield* input.takeSpace();
  // Models leave the word out.
  const isCall = (yield* input.takeAny(['call:', ':'])) !== null;
  const name = isCall ? yield* readName(input) : '';
  if (name === '' || (yield* input.peekAny(['{'])) === null) {
    input.giveUp();
    return false;
  }
  input.startCall(name);
  const values = yield* readLiteral(input, dialect);
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
  const values = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const typed = Object.entries(values).flatMap(([name, value]) => {
    const { type = [] } = parameterSchema(tool, name) ?? {};
    if (typeof value === 'string' ? type.length === 0 || type.includes('string') : !isStringSchema({ type }))
      return [];
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const written: unknown = JSON.parse(toJsonText(text, { type }));
    return written === value ? [] : [[name, written] as const];
  });
  return typed.length === 0 ? json : JSON.stringify({ ...values, ...Object.fromEntries(typed) });
}
