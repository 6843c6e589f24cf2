import type { AnswerInput, Reading } from './answer-input.ts';
import { defineFormat } from './define-format.ts';
import { readJsonCalls, readName } from './json-calls.ts';

const messageMarker = '<|message_model|>';
const callMarker = '<|content_invoke_tool_json|>';
const endMarker = '<|end_message|>';
const lastMarker = '<|content_model_end_sampling|>';

/** A message with the name before the marker of its kind, and a JSON object with it once more. */
export const inklingFormat = defineFormat({
  name: 'inkling',
  example: `${messageMarker}get_weather${callMarker}{"name":"get_weather","args":{"city":"Paris"}}${endMarker}`,
  families: { Inkling: ['Inkling', 'Inkling Small'] },
  openers: [callMarker],
  calls: { open: [messageMarker, callMarker], close: [endMarker], end: [lastMarker], readCalls },
  frame: { open: messageMarker, close: endMarker, separator: '' },
  call: (name) => ({ prefix: `${name}${callMarker}{"name":${JSON.stringify(name)},"args":`, suffix: '}' }),
  detect: callMarker,
  ownToken: callMarker,
});

function* readCalls(input: AnswerInput, marker: string): Reading {
  if (marker === messageMarker) {
    yield* readName(input);
    if ((yield* input.takeAny([callMarker])) === null) return input.giveUp();
  }
  yield* readJsonCalls(input, { argumentsKeys: ['args', 'arguments'] });
}
