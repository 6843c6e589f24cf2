import type { ToolCallFormat } from './format.ts';
import { jsonListConstraint, readJsonCalls, jsonCallFrame } from './json-calls.ts';
import { createSectionParser } from './section-parser.ts';

const openMarker = '<|tool_call|>';
const endMarker = '<|/tool_call|>';
const functoolsMarker = 'functools[';

/** A list of JSON objects between `<|tool_call|>` and `<|/tool_call|>`, or after `functools`: Phi-4-mini writes both. */
export const phi4Format: ToolCallFormat = {
  name: 'phi-4',
  example: '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]<|/tool_call|>',
  families: [{ name: 'Phi-4', models: ['Phi-4-mini-instruct', 'Phi-4-multimodal-instruct'] }],
  parallel: true,
  markers: [openMarker, endMarker],
  openers: [openMarker],
  createParser: createSectionParser({
    open: [openMarker, functoolsMarker],
    end: [endMarker],
    *readCalls(input, marker) {
      if (marker === functoolsMarker) input.putBack(1);
      yield* readJsonCalls(input);
    },
  }),
  detect: ({ template }) => template.includes(endMarker) || template.includes('<|tool|>'),
  constraint: jsonListConstraint(openMarker, endMarker),
};

const functoolsConstraint = {
  trigger: functoolsMarker,
  begin: functoolsMarker,
  call: (name: string) => jsonCallFrame(name),
  separator: ', ',
  end: ']',
};

/** `functools` before a list of JSON objects. */
export const functoolsFormat: ToolCallFormat = {
  name: 'functools',
  example: ' functools[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
  families: [{ name: 'FireFunction', models: ['FireFunction v2'] }],
  parallel: true,
  markers: [],
  openers: [functoolsMarker],
  createParser: phi4Format.createParser,
  detect: ({ template }) => /\bfunctools\b/.test(template),
  constraint: {
    ...functoolsConstraint,
    others: [{ ...functoolsConstraint, trigger: ` ${functoolsMarker}`, begin: ` ${functoolsMarker}` }],
  },
};
