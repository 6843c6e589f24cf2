import type { ToolCallFormat } from './format.ts';
import { jsonCallFrame, readJsonCalls } from './json-calls.ts';
import type { ToolCallParser } from './parser.ts';
import { createSectionParser } from './section-parser.ts';

const openMarker = '<|python_tag|>';

/** A bare JSON object, or objects with semicolons between them behind `<|python_tag|>`. */
export const llama3Format: ToolCallFormat = {
  name: 'llama-3',
  example: '{"name": "get_weather", "parameters": {"city": "Paris"}}',
  families: [{ name: 'Llama 3', models: ['Llama 3.1', 'Llama 3.2', 'Llama 3.3'] }],
  parallel: false,
  markers: [openMarker],
  createParser: createLlama3ToolCallParser,
  detect: ({ template, hasToken }) =>
    /"parameters": dictionary/.test(template) || (hasToken(openMarker) && /\bipython\b/.test(template)),
  constraint: {
    trigger: '{"name": "',
    begin: '',
    call: (name) => jsonCallFrame(name, { arguments: 'parameters' }),
    separator: null,
    end: '',
  },
};

/**
 * Reads calls as Llama 3.1 to 3.3 write them. As nothing but its keys tells a bare call from other JSON, it has to
 * begin the answer or a line, with no keys but those of a call.
 */
export function createLlama3ToolCallParser(): ToolCallParser {
  return createSectionParser({
    open: [openMarker],
    bare: ['{'],
    readCalls: (input) => readJsonCalls(input, { strict: true }),
  });
}
