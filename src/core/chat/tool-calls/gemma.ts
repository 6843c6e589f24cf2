import type { ToolDefinition } from '../messages.ts';
import type { AnswerInput, Reading } from './answer-input.ts';
import type { ToolCallConstraint, ToolCallFormat, WrittenCall } from './format.ts';
import { gemmaArguments, writeGemma } from './gemma-notation.ts';
import { readName } from './json-calls.ts';
import { readLiteral, type LiteralDialect } from './literal.ts';
import { readPythonCalls } from './python-calls.ts';
import { pythonArguments, pythonCallFrame } from './python-notation.ts';
import { membersOf, writePythonCall } from './write-calls.ts';
import { isStringSchema, parameterSchema, toJsonText } from './schema-types.ts';
import { createSectionParser } from './section-parser.ts';

const codeConstraint: ToolCallConstraint = {
  trigger: '```tool_code',
  begin: '```tool_code\n',
  call: pythonCallFrame,
  separator: '\n',
  end: '\n```',
  arguments: pythonArguments,
};

/** Python in a code block of its own language. */
export const gemmaCodeFormat: ToolCallFormat = {
  name: 'gemma-code',
  example: '```tool_code\nprint(get_weather(city="Paris"))\n```',
  families: [{ name: 'Gemma 2 and 3', models: ['Gemma 2', 'Gemma 3'] }],
  parallel: true,
  markers: [],
  openers: ['```tool_code'],
  createParser: createSectionParser({
    open: ['```tool_code'],
    end: ['```'],
    readCalls: readPythonCalls,
  }),
  constraint: {
    ...codeConstraint,
    others: [
      {
        ...codeConstraint,
        call: (name) => ({ prefix: `print(${name}(`, suffix: '))' }),
      },
    ],
  },
  write: (calls) => `\`\`\`tool_code\n${calls.map(writePythonCall).join('\n')}\n\`\`\``,
  detect: ({ template }) => template.includes('tool_code'),
};

const shortTags = { open: '<start_function_call>', end: '<end_function_call>', quote: '<escape>' };

/** `call:name{…}` between `<start_function_call>` and `<end_function_call>`, strings between `<escape>`. */
export const functionGemmaFormat: ToolCallFormat = {
  name: 'function-gemma',
  example: '<start_function_call>call:get_weather{city:<escape>Paris<escape>}<end_function_call>',
  families: [{ name: 'FunctionGemma', models: ['FunctionGemma 270M'] }],
  parallel: true,
  markers: Object.values(shortTags),
  openers: [shortTags.open],
  createParser: createGemmaParser(shortTags),
  constraint: gemmaConstraint(shortTags),
  write: (calls) => writeGemmaCalls(shortTags, calls),
  detect: ({ template }) => template.includes('<start_function_'),
};

const pipeTags = { open: '<|tool_call>', end: '<tool_call|>', quote: '<|"|>' };

/** `call:name{…}` between `<|tool_call>` and `<tool_call|>`, strings between `<|"|>`. */
export const gemma4Format: ToolCallFormat = {
  name: 'gemma-4',
  example: '<|tool_call>call:get_weather{city:<|"|>Paris<|"|>}<tool_call|>',
  families: [{ name: 'Gemma 4', models: ['Gemma 4'] }],
  parallel: true,
  markers: Object.values(pipeTags),
  openers: [pipeTags.open],
  createParser: createGemmaParser(pipeTags),
  constraint: gemmaConstraint(pipeTags),
  write: (calls) => writeGemmaCalls(pipeTags, calls),
  detect: ({ template }) => template.includes(pipeTags.open),
};

interface GemmaTags {
  readonly open: string;
  readonly end: string;
  /** Stands on both sides of a string. */
  readonly quote: string;
}

function createGemmaParser({ open, end, quote }: GemmaTags): ToolCallFormat['createParser'] {
  const dialect: LiteralDialect = {
    quotes: ['"'],
    rawQuotes: [quote],
    hasBareKeys: true,
    hasBareStrings: true,
  };
  return createSectionParser({
    open: [open],
    end: [end],
    *readCalls(input) {
      while (yield* readCall(input, dialect));
    },
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

function gemmaConstraint({ open, end, quote }: GemmaTags): ToolCallConstraint {
  return {
    trigger: open,
    begin: '',
    call: (name) => ({ prefix: `${open}call:${name}`, suffix: end }),
    separator: '',
    end: '',
    arguments: gemmaArguments(quote),
  };
}

function writeGemmaCalls({ open, end, quote }: GemmaTags, calls: readonly WrittenCall[]): string {
  const texts = calls.map(
    ({ name, arguments: text }) => `call:${name}${writeGemma(Object.fromEntries(membersOf(text)), quote)}`,
  );
  return texts.map((text) => open + text + end).join('');
}
