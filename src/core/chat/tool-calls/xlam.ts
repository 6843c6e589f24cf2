import type { ToolCallFormat } from './format.ts';
import { jsonCallFrame, readJsonCalls } from './json-calls.ts';
import { createSectionParser } from './section-parser.ts';

/** A bare list of JSON objects, or one in a code block. */
export const xlamFormat: ToolCallFormat = {
  name: 'xlam',
  example: '[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
  families: [{ name: 'xLAM', models: ['xLAM 1', 'xLAM 2'] }],
  parallel: true,
  markers: [],
  openers: [],
  createParser: createSectionParser({
    open: ['```json', '<tool_call>', '[TOOL_CALLS]'],
    bare: ['['],
    end: ['```', '</tool_call>'],
    readCalls: (input) => readJsonCalls(input, { strict: true }),
  }),
  detect: ({ template }) => /single JSON array/.test(template),
  constraint: {
    trigger: '[{"name": "',
    begin: '[',
    call: (name) => jsonCallFrame(name),
    separator: ', ',
    end: ']',
  },
};
