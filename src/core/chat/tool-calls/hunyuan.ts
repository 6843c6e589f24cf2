import type { ToolCallFormat } from './format.ts';
import { indentedListConstraint, jsonCallFrame, jsonListConstraint, readJsonCalls } from './json-calls.ts';
import { createSectionParser } from './section-parser.ts';

const openMarker = '<tool_calls>';
const endMarker = '</tool_calls>';

/** A list of JSON objects between `<tool_calls>` tags. */
export const hunyuanFormat: ToolCallFormat = {
  name: 'hunyuan',
  example: `${openMarker}[{"name": "get_weather", "arguments": {"city": "Paris"}}]${endMarker}`,
  families: [
    { name: 'Hunyuan', models: ['Hunyuan A13B'] },
    { name: 'Apriel', models: ['Apriel 1.5 15B Thinker', 'Apriel 1.6 15B Thinker'] },
    { name: 'Jamba', models: ['Jamba 1.5', 'Jamba 1.6', 'Jamba 1.7'] },
    { name: 'MiniMax M1', models: ['MiniMax M1'] },
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
  constraint: {
    ...jsonListConstraint(openMarker, endMarker),
    others: [
      indentedListConstraint(openMarker, endMarker),
      {
        trigger: openMarker,
        begin: `${openMarker}\n`,
        call: (name) => jsonCallFrame(name),
        separator: '\n',
        end: `\n${endMarker}`,
      },
    ],
  },
};
