import type { ToolCallFormat } from './format.ts';
import { indentedListConstraint, jsonCallFrame, readJsonCalls } from './json-calls.ts';
import { createSectionParser } from './section-parser.ts';

const openMarker = 'Action: ```json';
const endMarker = '```';

/** A list of JSON objects in a code block after the word of an action. */
export const commandRPlusFormat: ToolCallFormat = {
  name: 'command-r-plus',
  example: `${openMarker}\n[{"tool_name": "get_weather", "parameters": {"city": "Paris"}}]\n${endMarker}`,
  families: [{ name: 'Command R', models: ['Command R', 'Command R+'] }],
  parallel: true,
  markers: [],
  openers: [openMarker],
  createParser: createSectionParser({
    open: [openMarker, 'Action:```json'],
    end: [endMarker],
    readCalls: (input) => readJsonCalls(input, { nameKeys: ['tool_name', 'name'] }),
  }),
  detect: ({ template }) => /Action:/.test(template) && template.includes('tool_name'),
  constraint: {
    trigger: openMarker,
    begin: `${openMarker}\n[`,
    call: (name) => jsonCallFrame(name, { name: 'tool_name', arguments: 'parameters' }),
    separator: ', ',
    end: `]\n${endMarker}`,
    isLoose: true,
    others: [
      indentedListConstraint(`${openMarker}\n`, `\n${endMarker}`, {
        name: 'tool_name',
        arguments: 'parameters',
      }),
    ],
  },
};
