import type { ToolCallFormat } from './format.ts';
import { indentedListConstraint, jsonListConstraint, readJsonCalls } from './json-calls.ts';
import { createSectionParser } from './section-parser.ts';

const openMarkers = ['<|tool_call|>', '<tool_call>'];

/** A list of JSON objects after `<|tool_call|>`. */
export const granite3Format: ToolCallFormat = {
  name: 'granite-3',
  example: '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
  families: [{ name: 'Granite 3', models: ['Granite 3.0', 'Granite 3.1', 'Granite 3.2', 'Granite 3.3'] }],
  parallel: true,
  markers: openMarkers,
  openers: openMarkers,
  createParser: createSectionParser({ open: openMarkers, readCalls: (input) => readJsonCalls(input) }),
  detect: ({ template }) =>
    template.includes('<|start_of_role|>') && /<\|tool_call\|>|\bavailable_tools\b/.test(template),
  constraint: {
    ...jsonListConstraint('<|tool_call|>'),
    others: [indentedListConstraint('<|tool_call|>')],
  },
};
