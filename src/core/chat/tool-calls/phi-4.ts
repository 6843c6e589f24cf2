import type { ToolDefinition } from '../messages.ts';
import type { ToolCallFormat } from './format.ts';
import { jsonCallFrame, readJsonCalls } from './json-calls.ts';
import type { ToolCallParser, ToolCallParserOptions } from './parser.ts';
import { createSectionParser } from './section-parser.ts';

const openMarker = '<|tool_call|>';
const endMarker = '<|/tool_call|>';
export const functoolsMarker = 'functools[';

/** A list of JSON objects between `<|tool_call|>` and `<|/tool_call|>`. */
export const phi4Format: ToolCallFormat = {
  name: 'phi-4',
  example: '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]<|/tool_call|>',
  families: [{ name: 'Phi-4', models: ['Phi-4-mini-instruct', 'Phi-4-multimodal-instruct'] }],
  parallel: true,
  markers: [openMarker, endMarker],
  openers: [openMarker],
  createParser: createPhi4ToolCallParser,
  detect: ({ template }) => template.includes(endMarker) || template.includes('<|tool|>'),
  constraint: {
    trigger: openMarker,
    begin: `${openMarker}[`,
    call: (name) => jsonCallFrame(name),
    separator: ', ',
    end: `]${endMarker}`,
  },
};

/** Reads lists of calls after `<|tool_call|>` or `functools`; Phi-4-mini writes both. */
export function createPhi4ToolCallParser(
  tools: readonly ToolDefinition[] = [],
  options: ToolCallParserOptions = {},
): ToolCallParser {
  return createSectionParser(
    {
      open: [openMarker, functoolsMarker],
      end: [endMarker],
      *readCalls(input, marker) {
        if (marker === functoolsMarker) input.putBack(1);
        yield* readJsonCalls(input);
      },
    },
    tools,
    options,
  );
}
