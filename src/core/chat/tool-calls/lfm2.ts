import type { AnswerInput, Reading } from './answer-input.ts';
import type { ToolCallFormat } from './format.ts';
import { jsonListConstraint, readJsonCalls } from './json-calls.ts';
import { readPythonCalls } from './python-calls.ts';
import { writePythonCall } from './write-calls.ts';
import { pythonArguments, pythonCallFrame } from './python-notation.ts';
import { createSectionParser } from './section-parser.ts';

const openMarker = '<|tool_call_start|>';
const endMarker = '<|tool_call_end|>';

/** A list of Python calls between `<|tool_call_start|>` and `<|tool_call_end|>`; where prompts ask for JSON, of JSON calls. */
export const lfm2Format: ToolCallFormat = {
  name: 'lfm2',
  example: '<|tool_call_start|>[get_weather(city="Paris")]<|tool_call_end|>',
  families: [{ name: 'LFM2', models: ['LFM2 1.2B', 'LFM2 2.6B', 'LFM2 8B-A1B', 'LFM2.5'] }],
  parallel: true,
  markers: [openMarker, endMarker],
  openers: [openMarker],
  createParser: createSectionParser({
    open: [openMarker],
    end: [endMarker],
    readCalls,
  }),
  constraint: {
    trigger: openMarker,
    begin: `${openMarker}[`,
    call: pythonCallFrame,
    separator: ', ',
    end: `]${endMarker}`,
    arguments: pythonArguments,
    others: [jsonListConstraint(openMarker, endMarker)],
  },
  write: (calls) => `${openMarker}[${calls.map(writePythonCall).join(', ')}]${endMarker}`,
  detect: ({ template, hasToken }) =>
    hasToken(openMarker) || /<\|tool_(list|call)_start\|>|"List of tools: \["/.test(template),
};

function* readCalls(input: AnswerInput): Reading {
  yield* input.takeSpace();
  const bracket = (yield* input.takeAny(['['])) ?? '';
  const space = yield* input.takeSpace();
  const isJson = (yield* input.peekAny(['{'])) !== null;
  input.putBack(bracket.length + space.length);
  yield* isJson ? readJsonCalls(input) : readPythonCalls(input);
}
