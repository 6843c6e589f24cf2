import type { ToolCallConstraint, ToolCallFormat } from './format.ts';
import { jsonCallFrame, readJsonCalls } from './json-calls.ts';
import { createSectionParser } from './section-parser.ts';

const separator = '<|message_sep|>';
const roleMarker = 'function call<|role_sep|>';
const callMarker = '<|function_call|>';

/** A JSON object after a role or a marker of its own. */
export const gigachat3Format: ToolCallFormat = {
  name: 'gigachat-3',
  example: `${roleMarker}\n{"name": "get_weather", "arguments": {"city": "Paris"}}`,
  families: [{ name: 'GigaChat 3', models: ['GigaChat 3', 'GigaChat 3.1'] }],
  parallel: false,
  markers: ['<|role_sep|>', separator, callMarker],
  openers: [roleMarker, callMarker],
  createParser: createSectionParser({
    begin: [separator],
    open: [roleMarker, callMarker],
    end: [separator],
    readCalls: (input) => readJsonCalls(input),
  }),
  detect: ({ template }) => template.includes(callMarker) || /function call[^]*<\|role_sep\|>/.test(template),
  constraint: {
    ...callBehind(`${roleMarker}\n`, roleMarker),
    others: [callBehind(`${separator}\n\n${roleMarker}\n`, separator), callBehind(callMarker, callMarker)],
  },
  write: (calls) =>
    calls
      .map(
        ({ name, arguments: text }) =>
          `${separator}\n\n${roleMarker}\n{"name": ${JSON.stringify(name)}, "arguments": ${text}}`,
      )
      .join(''),
};

function callBehind(begin: string, trigger: string): ToolCallConstraint {
  return { trigger, begin, call: (name) => jsonCallFrame(name), separator: null, end: '' };
}
