import type { AnswerInput, Reading } from './answer-input.ts';
import { namedCall } from './call-frame.ts';
import { defineFormat } from './define-format.ts';
import { readJsonArguments, readName } from './json-calls.ts';

const begin = '<|tool_calls|>';
const end = '<|calls|>';
const open = '<|tool_call:begin|>';
const nameMarker = '<|tool_call:name|>';
const argumentsMarker = '<|tool_call:args|>';
const close = '<|tool_call:end|>';

/** An id of the model's own, the name and JSON, with a marker before each. */
export const solarOpenFormat = defineFormat({
  name: 'solar-open',
  example: `${begin}${open}a1b2c3d4e5${nameMarker}get_weather${argumentsMarker}{"city": "Paris"}${close}${end}`,
  families: { 'Solar Open': ['Solar Open 100B'] },
  markers: [begin, end, open, nameMarker, argumentsMarker, close],
  calls: { begin: [begin], open: [open], close: [close], end: [end], readCalls },
  detect: open,
  frame: { begin, open: `${open}0${nameMarker}`, close, separator: '', end },
  call: namedCall(argumentsMarker),
});

function* readCalls(input: AnswerInput): Reading {
  yield* input.takeSpace();
  const id = yield* readName(input);
  const name = (yield* input.takeAny([nameMarker])) === null ? '' : yield* readName(input);
  if ((yield* input.takeAny([argumentsMarker])) === null) return input.giveUp();
  // An id that a grammar wrote says nothing.
  yield* readJsonArguments(input, name, id === '' || id === '0' ? undefined : id);
}
