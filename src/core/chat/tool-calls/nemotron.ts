import type { ToolDefinition } from '../messages.ts';
import type { ToolCallFormat } from './format.ts';
import { jsonCallFrame, readJsonCalls } from './json-calls.ts';
import type { ToolCallParser, ToolCallParserOptions } from './parser.ts';
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
  createParser: createNemotronToolCallParser,
  detect: ({ template }) => template.includes(openMarker),
  constraint: {
    trigger: openMarker,
    begin: `${openMarker}[`,
    call: (name) => jsonCallFrame(name),
    separator: ', ',
    end: `]${endMarker}`,
  },
};

/** Reads calls as Nemotron models write them. */
export function createNemotronToolCallParser(
  tools: readonly ToolDefinition[] = [],
  options: ToolCallParserOptions = {},
): ToolCallParser {
  return createSectionParser(
    {
      open: [openMarker],
      end: [endMarker],
      readCalls: (input) => readJsonCalls(input),
    },
    tools,
    options,
  );
}
