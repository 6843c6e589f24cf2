import type { AnswerInput, Reading } from './answer-input.ts';
import type { ToolCallFormat } from './format.ts';
import { readJsonCalls, readName } from './json-calls.ts';
import { createSectionParser } from './section-parser.ts';

const messageMarker = '<|message_model|>';
const callMarker = '<|content_invoke_tool_json|>';
const endMarker = '<|end_message|>';
const lastMarker = '<|content_model_end_sampling|>';

/** A message with the name before the marker of its kind, and a JSON object with it once more. */
export const inklingFormat: ToolCallFormat = {
  name: 'inkling',
  example: `${messageMarker}get_weather${callMarker}{"name":"get_weather","args":{"city":"Paris"}}${endMarker}`,
  families: [{ name: 'Inkling', models: ['Inkling', 'Inkling Small'] }],
  parallel: true,
  markers: [messageMarker, callMarker, endMarker, lastMarker],
  openers: [callMarker],
  createParser: createSectionParser({
    open: [messageMarker, callMarker],
    close: [endMarker],
    end: [lastMarker],
    readCalls,
  }),
  constraint: {
    trigger: messageMarker,
    begin: '',
    call: (name) => ({
      prefix: `${messageMarker}${name}${callMarker}{"name":${JSON.stringify(name)},"args":`,
      suffix: `}${endMarker}`,
    }),
    separator: '',
    end: '',
  },
  detect: ({ template, hasToken }) => template.includes(callMarker) || hasToken(callMarker),
};

function* readCalls(input: AnswerInput, marker: string): Reading {
  if (marker === messageMarker) {
    yield* readName(input);
    if ((yield* input.takeAny([callMarker])) === null) return input.giveUp();
  }
  yield* readJsonCalls(input, { argumentsKeys: ['args', 'arguments'] });
}
