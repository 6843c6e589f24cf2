import type { ToolCallFormat } from './format.ts';
import { jsonCallFrame, readJsonCalls } from './json-calls.ts';
import { createSectionParser } from './section-parser.ts';

const fence = '```';

/** A bare list of JSON objects, or one in a code block. */
export const xlamFormat: ToolCallFormat = {
  name: 'xlam',
  example: '[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
  families: [
    { name: 'xLAM', models: ['xLAM 1', 'xLAM 2'] },
    { name: 'Hammer', models: ['Hammer 2.0', 'Hammer 2.1'] },
  ],
  parallel: true,
  markers: [],
  openers: [],
  createParser: createSectionParser({
    open: [`${fence}json`, '<tool_call>', '[TOOL_CALLS]'],
    bare: ['[', `${fence}\n[`],
    end: [fence, '</tool_call>'],
    *readCalls(input) {
      yield* input.takeAny([fence]);
      yield* readJsonCalls(input, { strict: true });
    },
  }),
  detect: ({ template }) => /single JSON array|directly output an empty list/.test(template),
  constraint: {
    trigger: '[{"name": "',
    begin: '[',
    call: (name) => jsonCallFrame(name),
    separator: ', ',
    end: ']',
    others: [
      {
        trigger: fence,
        begin: `${fence}\n[`,
        call: (name) => jsonCallFrame(name),
        separator: ', ',
        end: `]\n${fence}`,
      },
    ],
  },
};
