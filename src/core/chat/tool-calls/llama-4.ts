import type { AnswerInput, Reading } from './answer-input.ts';
import type { ToolCallConstraint, ToolCallFormat } from './format.ts';
import { jsonCallFrame, readJsonCalls } from './json-calls.ts';
import { readPythonCalls } from './python-calls.ts';
import { writePythonCall } from './write-calls.ts';
import { pythonArguments, pythonCallFrame } from './python-notation.ts';
import { createSectionParser } from './section-parser.ts';

const openMarker = '<|python_start|>';
const endMarker = '<|python_end|>';

/** A list on a line that begins with text: calls where it begins with a tool of the request. */
const inlineMarker = '[';

const listConstraint: ToolCallConstraint = {
  begin: '[',
  call: pythonCallFrame,
  separator: ', ',
  end: ']',
  arguments: pythonArguments,
};

/**
 * A list of Python calls at the beginning of the answer or of a line, or between `<|python_start|>` and `<|python_end|>`.
 * As Llama 4 is also prompted for JSON, JSON calls count too.
 */
export const llama4Format: ToolCallFormat = {
  name: 'pythonic',
  example: '[get_weather(city="Paris"), get_time(zone="CET")]',
  families: [
    { name: 'Llama 4', models: ['Llama 4 Scout', 'Llama 4 Maverick'] },
    { name: 'ToolACE', models: ['ToolACE 8B', 'ToolACE 2 8B'] },
  ],
  parallel: true,
  markers: [openMarker, endMarker],
  openers: [openMarker],
  createParser: createSectionParser({
    open: [openMarker, inlineMarker],
    bare: ['[', '{'],
    end: [endMarker],
    readCalls: readEither,
  }),
  constraint: {
    ...listConstraint,
    lead: '\n',
    others: [
      {
        trigger: '{"name"',
        lead: '\n',
        begin: '',
        call: (name) => jsonCallFrame(name, { arguments: 'parameters' }),
        separator: '\n',
        end: '',
      },
      { ...listConstraint, trigger: openMarker, begin: `${openMarker}[`, end: `]${endMarker}` },
    ],
  },
  write: (calls) => `[${calls.map(writePythonCall).join(', ')}]`,
  detect: ({ template, hasToken }) =>
    hasToken(openMarker) || template.includes(openMarker) || /\[func_name1\(/.test(template),
};

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
