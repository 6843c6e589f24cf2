import type { ToolCallFormat } from './format.ts';
import { jsonCallFrame, readJsonCalls } from './json-calls.ts';
import { createSectionParser } from './section-parser.ts';

const openMarker = '<|plugin|>';
const endMarker = '<|action_end|>';

/** A JSON object between the markers of an action of the plugin. */
export const internlmFormat: ToolCallFormat = {
  name: 'internlm',
  example: `<|action_start|>${openMarker}\n{"name": "get_weather", "parameters": {"city": "Paris"}}${endMarker}`,
  families: [{ name: 'InternLM', models: ['InternLM 2', 'InternLM 2.5', 'InternLM 3'] }],
  parallel: false,
  markers: ['<|action_start|>', openMarker, endMarker],
  openers: ['<|action_start|>', openMarker],
  createParser: createSectionParser({
    begin: ['<|action_start|>'],
    open: [openMarker],
    end: [endMarker],
    readCalls: (input) => readJsonCalls(input),
  }),
  detect: ({ template }) => template.includes(openMarker),
  constraint: {
    trigger: '<|action_start|>',
    begin: `<|action_start|>${openMarker}\n`,
    call: (name) => jsonCallFrame(name, { arguments: 'parameters' }),
    separator: null,
    end: endMarker,
  },
};
