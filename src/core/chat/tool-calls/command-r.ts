import type { ToolCallFormat } from './format.ts';
import { jsonCallFrame, readJsonCalls } from './json-calls.ts';
import { createSectionParser } from './section-parser.ts';

const openMarker = '<|START_ACTION|>';
const endMarker = '<|END_ACTION|>';

/** A list of JSON objects with keys of their own between `<|START_ACTION|>` and `<|END_ACTION|>`. */
export const commandRFormat: ToolCallFormat = {
  name: 'command-r',
  example:
    '<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris"}}\n]<|END_ACTION|>',
  families: [{ name: 'Command', models: ['Command R7B', 'Command A', 'Command A+'] }],
  parallel: true,
  markers: [openMarker, endMarker],
  openers: [openMarker],
  createParser: createSectionParser({
    open: [openMarker],
    end: [endMarker],
    readCalls: (input) => readJsonCalls(input, { nameKeys: ['tool_name', 'name'] }),
  }),
  detect: ({ template }) => template.includes(openMarker),
  constraint: {
    trigger: openMarker,
    begin: `${openMarker}[\n    `,
    call: (name) => jsonCallFrame(name, { name: 'tool_name', arguments: 'parameters' }),
    separator: ',\n    ',
    end: `\n]${endMarker}`,
    others: [
      {
        trigger: openMarker,
        begin: `${openMarker}[\n    `,
        call: (name) => {
          const { prefix, suffix } = jsonCallFrame(name, { name: 'tool_name', arguments: 'parameters' });
          return { prefix: `{"tool_call_id": "0", ${prefix.slice(1)}`, suffix };
        },
        // Each further call would need the next number.
        separator: null,
        end: `\n]${endMarker}`,
      },
    ],
  },
};
