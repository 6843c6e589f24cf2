import type { AnswerInput, Reading } from './answer-input.ts';
import { namedCall } from './call-frame.ts';
import { defineFormat } from './define-format.ts';
import { readJsonArguments, readJsonCalls, readName } from './json-calls.ts';
import { fitsTool } from './mend-json.ts';

const openMarker = '[TOOL_CALLS]';
const idMarker = '[CALL_ID]';
const argumentsMarker = '[ARGS]';

/** Calls as all Mistral models write them, the old way and the new. */
const calls = { open: [openMarker], readCalls };

/** A list of JSON objects after `[TOOL_CALLS]`. */
export const mistralFormat = defineFormat({
  name: 'mistral',
  families: { Mistral: ['Mistral 7B v0.3', 'Mixtral 8x22B', 'Mistral Nemo', 'Mistral Large 2'] },
  calls,
});

/** `[TOOL_CALLS]` and the name before each call's arguments. */
export const mistralNamedFormat = defineFormat({
  name: 'mistral-named',
  families: { 'Mistral 3': ['Mistral Small 3.2', 'Magistral', 'Devstral', 'Ministral 3'] },
  markers: [openMarker, idMarker, argumentsMarker],
  calls,
  detect: ({ template, hasToken }) =>
    template.includes(openMarker) && (template.includes(argumentsMarker) || hasToken(argumentsMarker)),
  frame: { open: openMarker, separator: '' },
  call: namedCall(argumentsMarker),
});

function* readCalls(input: AnswerInput): Reading {
  yield* input.takeSpace();
  if ((yield* input.peekAny(['[', '{'])) !== null) return yield* readJsonCalls(input);
  const name = yield* readName(input);
  if ((yield* input.takeAny([idMarker])) !== null) yield* readName(input);
  yield* input.takeAny([argumentsMarker]);
  yield* input.takeSpace();
  if (!(yield* input.hasMore()) && input.isComplete && needsNothing(name, input)) input.addCall(name, '{}');
  else yield* readJsonArguments(input, name);
}

/** Whether the tool that is meant can be called without arguments. */
function needsNothing(name: string, { tools }: AnswerInput): boolean {
  const tool = tools.find((one) => one.name === name);
  const isKnown = tools.length === 0 ? name !== '' : tool !== undefined;
  return isKnown && fitsTool('{}', tool);
}
