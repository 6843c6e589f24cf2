import type { ToolCallFormat } from './format.ts';
import { jsonListConstraint, readJsonCalls } from './json-calls.ts';
import { createSectionParser } from './section-parser.ts';

const openMarker = '<TOOLCALL>';
const endMarker = '</TOOLCALL>';

/** A list of JSON objects between `<TOOLCALL>` tags. */
export const nemotronFormat: ToolCallFormat = {
  name: 'nemotron',
  example: '<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Paris"}}]</TOOLCALL>',
  families: [
    {
      name: 'Nemotron',
      models: ['Nemotron Nano 9B v2', 'Llama-3.1-Nemotron-Nano', 'Llama-3.3-Nemotron-Super'],
    },
  ],
  parallel: true,
  markers: [openMarker, endMarker],
  openers: [openMarker],
  createParser: createSectionParser({
    open: [openMarker],
    end: [endMarker],
    readCalls: (input) => readJsonCalls(input),
  }),
  detect: ({ template }) => template.includes(openMarker),
  constraint: jsonListConstraint(openMarker, endMarker),
};
