import type { ToolCallFormat } from './format.ts';
import { jsonCallFrame, readJsonCalls } from './json-calls.ts';
import { createSectionParser } from './section-parser.ts';

const openMarker = '<|python_tag|>';

/** The end of text before an object that is part of other JSON. */
const insideJson = /(?:["\]}]\s*,|"\s*:|[[{]|[[{][^\]}]*,)\s*$/;

/**
 * A bare JSON object, or objects with semicolons between them after `<|python_tag|>`. As nothing but its keys tells a bare
 * call from other JSON, it has to begin the answer or a line, with no keys but those of a call; or it calls a tool of the
 * request and is no part of other JSON.
 */
export const llama3Format: ToolCallFormat = {
  name: 'llama-3',
  example: '{"name": "get_weather", "parameters": {"city": "Paris"}}',
  families: [{ name: 'Llama 3', models: ['Llama 3.1', 'Llama 3.2', 'Llama 3.3'] }],
  parallel: false,
  markers: [openMarker],
  openers: [openMarker],
  createParser: createSectionParser({
    open: [openMarker, '{'],
    bare: ['{'],
    *readCalls(input, marker) {
      const isInline = marker === '{';
      if (isInline && insideJson.test(input.lastText)) return input.giveUp();
      if (isInline) input.putBack(marker.length);
      const names = isInline && input.tools.length > 0 ? input.tools.map(({ name }) => name) : undefined;
      yield* readJsonCalls(input, { strict: true, names });
    },
  }),
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
