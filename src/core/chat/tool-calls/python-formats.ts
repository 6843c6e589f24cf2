import type { AnswerInput, Reading } from './answer-input.ts';
import { framedCalls, type CallsFrame } from './call-frame.ts';
import { writePythonArguments, toPython } from './write-calls.ts';
import { defineFormat, type FormatRow } from './define-format.ts';
import type { ToolCallConstraint, ToolCallFormat, CallFrame } from './format.ts';
import { jsonCallFrame, jsonListConstraint, readJsonCalls } from './json-calls.ts';
import { readPythonCalls, isKeyword } from './python-calls.ts';
import { choice, never, refer, repeat, rule, sequence, text } from '../../grammar/languages/expression.ts';
import { anyString, escapedCharacter, unlimited } from '../../grammar/languages/json-text.ts';
import { matching } from '../../grammar/languages/regular-expression.ts';
import {
  jsonString,
  literalNotation,
  namesOf,
  type ArgumentsNotation,
  type Notation,
} from '../../grammar/schemas/notation.ts';

const singleCharacter = choice(matching(String.raw`[^\0-\x1f'\\]|\\'`), escapedCharacter);
const singleQuoted = sequence(text("'"), repeat(singleCharacter, unlimited), text("'"));
const anyPythonString = refer(rule('string', choice(anyString, singleQuoted)));

/** Literals of Python; strings have the escapes that JSON has, too. */
const doubleQuoted = literalNotation({
  id: 'python',
  anyString: anyPythonString,
  write: toPython,
  string(strings) {
    const { language, min, max } = strings;
    if (language) return jsonString(strings);
    return min === 0 && max === Infinity
      ? anyPythonString
      : choice(jsonString(strings), sequence(text("'"), repeat(singleCharacter, { min, max }), text("'")));
  },
});

const pythonNotation: Notation = {
  ...doubleQuoted,
  constants: (values) => text(...values.flatMap((value) => [toPython(value), ...inSingleQuotes(value)])),
  ofMember: () => pythonNotation,
  ofItem: () => pythonNotation,
};

function inSingleQuotes(value: unknown): string[] {
  return typeof value === 'string' && /^[^'"\\\p{Cc}]*$/u.test(value) ? [`'${value}'`] : [];
}

const argumentsNotation: Notation = {
  ...pythonNotation,
  id: 'arguments',
  anyMember: undefined,
  anyObject: undefined,
  constants: () => never,
  object: (content) => content,
  member: (name, value) =>
    isKeyword(name) ? refer(rule(name, sequence(text(`${name}=`), value))) : undefined,
  members(names, value, texts, path) {
    const written = namesOf(names, '^[A-Za-z_][A-Za-z0-9_]{0,63}$', texts, path);
    return written && refer(rule('other', sequence(written, text('='), value)));
  },
};

/** Keyword arguments, as between the parentheses of a call. */
const pythonArguments = (): ArgumentsNotation => () => argumentsNotation;

/** `name(…)` */
function pythonCallFrame(name: string): CallFrame {
  return { prefix: `${name}(`, suffix: ')' };
}

// Formats whose calls are Python.

function pythonCalls(frame: CallsFrame, rest?: Partial<ToolCallConstraint>): ToolCallConstraint {
  return framedCalls(frame, pythonCallFrame, { arguments: pythonArguments, ...rest });
}

function pythonFormat(row: FormatRow): ToolCallFormat {
  return defineFormat({
    call: pythonCallFrame,
    writeArguments: writePythonArguments,
    ...row,
    notation: { arguments: pythonArguments, ...row.notation },
    calls: { readCalls: readPythonCalls, ...row.calls },
  });
}

const [startMarker, endMarker] = ['<|tool_call_start|>', '<|tool_call_end|>'];

/** Python calls, one a line, between tags. */
export const olmo3Format = pythonFormat({
  name: 'olmo-3',
  families: { 'OLMo 3': ['OLMo 3 7B', 'OLMo 3 32B'] },
  calls: { open: ['<function_calls>'], end: ['</function_calls>'] },
  frame: { begin: '<function_calls>', end: '</function_calls>' },
});

/** Python in a code block between markers. */
export const minicpm3Format = pythonFormat({
  name: 'minicpm-3',
  families: { MiniCPM3: ['MiniCPM3 4B'] },
  markers: [startMarker, endMarker],
  calls: {
    open: [startMarker],
    close: ['```'],
    end: [endMarker],
    *readCalls(input) {
      yield* input.takeSpace();
      yield* input.takeAny(['```python', '```']);
      yield* readPythonCalls(input);
    },
  },
  detect: [startMarker, /```python|<\|thought_start\|>/],
  frame: { begin: `${startMarker}\n\`\`\`python\n`, end: `\n\`\`\`\n${endMarker}` },
});

/** A list of Python calls between `<|tool_call_start|>` and `<|tool_call_end|>`; where prompts ask for JSON, of JSON calls. */
export const lfm2Format = pythonFormat({
  name: 'lfm2',
  families: { LFM2: ['LFM2 1.2B', 'LFM2 2.6B', 'LFM2 8B-A1B', 'LFM2.5'] },
  calls: {
    open: [startMarker],
    end: [endMarker],
    *readCalls(input) {
      yield* input.takeSpace();
      const bracket = (yield* input.takeAny(['['])) ?? '';
      const space = yield* input.takeSpace();
      const isJson = (yield* input.peekAny(['{'])) !== null;
      input.putBack(bracket.length + space.length);
      yield* isJson ? readJsonCalls(input) : readPythonCalls(input);
    },
  },
  frame: { begin: `${startMarker}[`, separator: ', ', end: `]${endMarker}`, trigger: startMarker },
  notation: { others: [jsonListConstraint(startMarker, endMarker)] },
  detect: /<\|tool_(list|call)_start\|>|"List of tools: \["/,
  ownToken: startMarker,
});

const codeFence = '```tool_code';
const codeFrame = { begin: `${codeFence}\n`, end: '\n```' };

/** Python in a code block of its own language. */
export const gemmaCodeFormat = pythonFormat({
  name: 'gemma-code',
  example: `${codeFence}\nprint(get_weather(city="Paris"))\n\`\`\``,
  families: { 'Gemma 2 and 3': ['Gemma 2', 'Gemma 3'] },
  markers: [],
  calls: { open: [codeFence], end: ['```'] },
  frame: codeFrame,
  notation: {
    others: [pythonCalls(codeFrame, { call: (name) => ({ prefix: `print(${name}(`, suffix: '))' }) })],
  },
  detect: 'tool_code',
});

const [pythonStart, pythonEnd] = ['<|python_start|>', '<|python_end|>'];
/** A list on a line that begins with text: calls where it begins with a tool of the request. */
const inlineMarker = '[';
const listFrame = { begin: '[', separator: ', ', end: ']' };

/**
 * A list of Python calls at the beginning of the answer or of a line, or between `<|python_start|>` and `<|python_end|>`.
 * As Llama 4 is also prompted for JSON, JSON calls count too.
 */
export const llama4Format = pythonFormat({
  name: 'pythonic',
  example: '[get_weather(city="Paris"), get_time(zone="CET")]',
  families: {
    'Llama 4': ['Llama 4 Scout', 'Llama 4 Maverick'],
    ToolACE: ['ToolACE 8B', 'ToolACE 2 8B'],
  },
  markers: [pythonStart, pythonEnd],
  openers: [pythonStart],
  calls: { open: [pythonStart, inlineMarker], bare: ['[', '{'], end: [pythonEnd], readCalls: readEither },
  frame: listFrame,
  notation: {
    trigger: undefined,
    lead: '\n',
    others: [
      framedCalls({ trigger: '{"name"' }, (name) => jsonCallFrame(name, { arguments: 'parameters' }), {
        lead: '\n',
      }),
      pythonCalls({ begin: `${pythonStart}[`, separator: ', ', end: `]${pythonEnd}`, trigger: pythonStart }),
    ],
  },
  detect: /<\|python_start\|>|\[func_name1\(/,
  ownToken: pythonStart,
});

function* readEither(input: AnswerInput, marker: string): Reading {
  if (marker === inlineMarker) {
    const names = input.tools.map(({ name }) => `${name}(`);
    if (!input.canReadAgain || (yield* input.peekAny(names)) === null) return input.giveUp();
    input.putBack(marker.length);
    return yield* readPythonCalls(input);
  }
  yield* input.takeSpace();
  // Under a grammar, what begins in another way is text.
  const starts = ['{"name"', ...input.tools.map(({ name }) => `[${name}(`)];
  if (!input.canReadAgain && (yield* input.peekAny(starts)) === null) return input.giveUp();
  if ((yield* input.peekAny(['{'])) === null) yield* readPythonCalls(input);
  else yield* readJsonCalls(input, { strict: true });
}
