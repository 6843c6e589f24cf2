import type { AnswerInput, Reading } from './answer-input.ts';
import { framedCalls, namedCall } from './call-frame.ts';
import { defineFormat } from './define-format.ts';
import { readJsonArguments, readName } from './json-calls.ts';

const beginMarker = '<|tool_calls|>';
const endMarker = '<|calls|>';
const openMarker = '<|tool_call:begin|>';
const nameMarker = '<|tool_call:name|>';
const argumentsMarker = '<|tool_call:args|>';
const closeMarker = '<|tool_call:end|>';

/** An id of the model's own, the name and JSON, with a marker before each. */
export const solarOpenFormat = defineFormat({
  name: 'solar-open',
  example: `${beginMarker}${openMarker}a1b2c3d4e5${nameMarker}get_weather${argumentsMarker}{"city": "Paris"}${closeMarker}${endMarker}`,
  families: { 'Solar Open': ['Solar Open 100B'] },
  markers: [beginMarker, endMarker, openMarker, nameMarker, argumentsMarker, closeMarker],
  calls: { begin: [beginMarker], open: [openMarker], close: [closeMarker], end: [endMarker], readCalls },
  detect: openMarker,
  constraint: framedCalls(
    {
      begin: beginMarker,
      open: `${openMarker}0${nameMarker}`,
      close: closeMarker,
      separator: '',
      end: endMarker,
    },
    namedCall(argumentsMarker),
  ),
});

function* readCalls(input: AnswerInput): Reading {
  yield* input.takeSpace();
  const id = yield* readName(input);
  const name = (yield* input.takeAny([nameMarker])) === null ? '' : yield* readName(input);
  if ((yield* input.takeAny([argumentsMarker])) === null) return input.giveUp();
  // An id that a grammar wrote says nothing.
  yield* readJsonArguments(input, name, id === '' || id === '0' ? undefined : id);
}
