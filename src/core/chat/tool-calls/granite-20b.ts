import type { ToolCallFormat } from './format.ts';
import { jsonCallFrame, readJsonCalls } from './json-calls.ts';
import { createSectionParser } from './section-parser.ts';

const openMarker = '<function_call>';

/** A marker before each JSON object. */
export const granite20bFormat: ToolCallFormat = {
  name: 'granite-20b-fc',
  example: `${openMarker} {"name": "get_weather", "arguments": {"city": "Paris"}}`,
  families: [{ name: 'Granite 20B', models: ['Granite 20B Function Calling'] }],
  parallel: true,
  markers: [openMarker],
  openers: [openMarker],
  createParser: createSectionParser({ open: [openMarker], readCalls: (input) => readJsonCalls(input) }),
  detect: ({ template }) => template.includes(openMarker),
  constraint: {
    trigger: openMarker,
    begin: '',
    call: (name) => {
      const { prefix, suffix } = jsonCallFrame(name);
      return { prefix: `${openMarker} ${prefix}`, suffix };
    },
    separator: '\n',
    end: '',
  },
};
