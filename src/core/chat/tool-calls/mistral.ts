import type { AnswerInput, Reading } from './answer-input.ts';
import type { ToolCallFormat } from './format.ts';
import { jsonListConstraint, readJsonArguments, readJsonCalls, readName } from './json-calls.ts';
import { fitsTool } from './mend-json.ts';
import { createSectionParser } from './section-parser.ts';

const openMarker = '[TOOL_CALLS]';
const idMarker = '[CALL_ID]';
const argumentsMarker = '[ARGS]';

/** Reads calls as all Mistral models write them, the old way and the new. */
const createParser = createSectionParser({ open: [openMarker], readCalls });

/** A list of JSON objects after `[TOOL_CALLS]`. */
export const mistralFormat: ToolCallFormat = {
  name: 'mistral',
  example: '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Paris"}}]',
  families: [
    { name: 'Mistral', models: ['Mistral 7B v0.3', 'Mixtral 8x22B', 'Mistral Nemo', 'Mistral Large 2'] },
  ],
  parallel: true,
  markers: [openMarker],
  openers: [openMarker],
  createParser,
  detect: ({ template }) => template.includes(openMarker),
  constraint: jsonListConstraint(openMarker),
};

/** `[TOOL_CALLS]` and the name before each call's arguments. */
export const mistralNamedFormat: ToolCallFormat = {
  name: 'mistral-named',
  example: '[TOOL_CALLS]get_weather[ARGS]{"city": "Paris"}',
  families: [{ name: 'Mistral 3', models: ['Mistral Small 3.2', 'Magistral', 'Devstral', 'Ministral 3'] }],
  parallel: true,
  markers: [openMarker, idMarker, argumentsMarker],
  openers: [openMarker],
  createParser,
  detect: ({ template, hasToken }) =>
    template.includes(openMarker) && (template.includes(argumentsMarker) || hasToken(argumentsMarker)),
  constraint: {
    trigger: openMarker,
    begin: '',
    call: (name) => ({ prefix: `${openMarker}${name}${argumentsMarker}`, suffix: '' }),
    separator: '',
    end: '',
  },
};

function* readCalls(input: AnswerInput): Reading {
  yield* input.takeSpace();
  if ((yield* input.peekAny(['[', '{'])) !== null) {
    yield* readJsonCalls(input);
    return;
  }
  const name = yield* readName(input);
  if ((yield* input.takeAny([idMarker])) !== null) yield* readName(input);
  yield* input.takeAny([argumentsMarker]);
  yield* input.takeSpace();
  if (!(yield* input.hasMore()) && input.isComplete && needsNothing(name, input)) {
    input.startCall(name);
    input.addArguments('{}');
    input.endCall();
    return;
  }
  if (yield* readJsonArguments(input, name)) yield* input.dropSpace();
}

/** Whether the tool that is meant can be called without arguments. */
function needsNothing(name: string, { tools }: AnswerInput): boolean {
  const tool = tools.find((one) => one.name === name);
  const isKnown = tools.length === 0 ? name !== '' : tool !== undefined;
  return isKnown && fitsTool('{}', tool);
}
