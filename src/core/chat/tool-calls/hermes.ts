import type { ToolCallFormat } from './format.ts';
import { readJsonCalls } from './json-calls.ts';
import { createSectionParser } from './section-parser.ts';

const openMarker = '<tool_call>';
const closeMarker = '</tool_call>';

/** The most common format: JSON objects between `<tool_call>` tags, any number of them, with text before, between and after. */
export const hermesFormat: ToolCallFormat = {
  name: 'hermes',
  example: '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>',
  families: [
    { name: 'Hermes', models: ['Hermes 2 Pro', 'Hermes 3', 'Hermes 4'] },
    { name: 'Qwen', models: ['Qwen2.5', 'QwQ', 'Qwen3'] },
    { name: 'Granite 4', models: ['Granite 4.0 Micro', 'Granite 4.0 Tiny', 'Granite 4.0 Small'] },
    { name: 'SmolLM3', models: ['SmolLM3 3B'] },
    { name: 'ERNIE 4.5', models: ['ERNIE 4.5 21B-A3B Thinking'] },
    { name: 'MiMo', models: ['MiMo 7B', 'MiMo VL'] },
    { name: 'Trinity', models: ['Trinity Nano', 'Trinity Mini'] },
  ],
  parallel: true,
  markers: [openMarker, closeMarker],
  openers: [openMarker],
  createParser: createSectionParser({
    open: [openMarker],
    end: [closeMarker],
    readCalls: (input) => readJsonCalls(input),
  }),
  detect: ({ template, hasToken }) =>
    template.includes(openMarker) || (hasToken(openMarker) && /\btools\b/.test(template)),
  constraint: {
    trigger: openMarker,
    begin: '',
    call: (name) => ({
      prefix: `${openMarker}\n{"name": ${JSON.stringify(name)}, "arguments": `,
      suffix: `}\n${closeMarker}`,
    }),
    separator: '\n',
    end: '',
    isLoose: true,
  },
};
