import type { AnswerInput, Reading } from './answer-input.ts';
import { namedCall } from './call-frame.ts';
import { defineFormat } from './define-format.ts';
import { readJsonArguments, readName, takeJsonObject } from './json-calls.ts';
import { namesAll } from './mend-json.ts';

const begin = '<|tool_calls_section_begin|>';
const end = '<|tool_calls_section_end|>';
const open = '<|tool_call_begin|>';
const close = '<|tool_call_end|>';
const argumentsMarker = '<|tool_call_argument_begin|>';

/**
 * Ids that hold the name, and JSON. `functions.` and the number are not part of the name. The whole is the call's id, by
 * which the template knows it in the next turn.
 */
export const kimiK2Format = defineFormat({
  name: 'kimi-k2',
  families: { 'Kimi K2': ['Kimi K2 Instruct', 'Kimi K2 Thinking', 'Kimi K2.5'] },
  markers: [begin, end, open, close, argumentsMarker],
  calls: { begin: [begin], open: [open], close: [close], end: [end], readCalls },
  frame: { begin, open: `${open}functions.`, close, separator: '', end },
  call: namedCall(`:0${argumentsMarker}`),
});

function* readCalls(input: AnswerInput): Reading {
  yield* input.takeSpace();
  const id = yield* readName(input);
  yield* input.takeSpace();
  if ((yield* input.takeAny([argumentsMarker])) === null) return input.giveUp();
  if (/^\d+$/.test(id)) return yield* readNumberedCall(input);
  const name = id.replace(/^functions\./, '').replace(/:\d+$/, '');
  yield* readJsonArguments(input, name, id);
}

/** Reads a call whose id is a number alone: the only tool that the arguments fit is meant. */
function* readNumberedCall(input: AnswerInput): Reading {
  const json = yield* takeJsonObject(input);
  const [tool, second] = json === undefined ? [] : input.tools.filter((one) => namesAll(json, one));
  if (json === undefined || !tool || second) return input.giveUp();
  input.addCall(tool.name, json);
  yield* input.dropSpace();
}
