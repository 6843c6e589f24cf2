import type { AnswerInput, Reading } from './answer-input.ts';
import type { ToolCallFormat } from './format.ts';
import { readJsonArguments, readName } from './json-calls.ts';
import { createSectionParser } from './section-parser.ts';

const beginMarker = '<｜tool▁calls▁begin｜>';
const endMarker = '<｜tool▁calls▁end｜>';
const openMarker = '<｜tool▁call▁begin｜>';
const closeMarker = '<｜tool▁call▁end｜>';
const separator = '<｜tool▁sep｜>';
const markers = [beginMarker, endMarker, openMarker, closeMarker, separator];

/** Reads calls as DeepSeek models write them, from V3 and R1 to V3.1. */
const createParser = createSectionParser({
  begin: [beginMarker],
  open: [openMarker],
  close: [closeMarker],
  end: [endMarker],
  readCalls,
});

/** The kind of tool, the name, and JSON in a code block. */
export const deepseekFormat: ToolCallFormat = {
  name: 'deepseek-v3',
  example: `${beginMarker}${openMarker}function${separator}get_weather\n\`\`\`json\n{"city": "Paris"}\n\`\`\`${closeMarker}${endMarker}`,
  families: [
    { name: 'DeepSeek V3', models: ['DeepSeek V3', 'DeepSeek V3 0324'] },
    { name: 'DeepSeek R1', models: ['DeepSeek R1', 'DeepSeek R1 0528', 'DeepSeek R1 Distill'] },
  ],
  parallel: true,
  markers,
  openers: [beginMarker, openMarker],
  createParser,
  detect: ({ template }) => template.includes(beginMarker),
  constraint: {
    trigger: beginMarker,
    begin: beginMarker,
    call: (name) => ({
      prefix: `${openMarker}function${separator}${name}\n\`\`\`json\n`,
      suffix: `\n\`\`\`${closeMarker}`,
    }),
    separator: '\n',
    end: endMarker,
  },
};

/** The name and plain JSON. */
export const deepseekV31Format: ToolCallFormat = {
  name: 'deepseek-v3.1',
  example: `${beginMarker}${openMarker}get_weather${separator}{"city": "Paris"}${closeMarker}${endMarker}`,
  families: [{ name: 'DeepSeek V3.1', models: ['DeepSeek V3.1', 'DeepSeek V3.1 Terminus'] }],
  parallel: true,
  markers,
  openers: [beginMarker, openMarker],
  createParser,
  detect: ({ template }) => template.includes(beginMarker) && !template.includes('```json'),
  constraint: {
    trigger: beginMarker,
    begin: beginMarker,
    call: (name) => ({ prefix: `${openMarker}${name}${separator}`, suffix: closeMarker }),
    separator: '',
    end: endMarker,
  },
};

function* readCalls(input: AnswerInput): Reading {
  const first = yield* readName(input);
  if (first === '' || (yield* input.takeAny([separator])) === null) {
    input.giveUp();
    return;
  }
  const second = first === 'function' ? yield* readName(input) : '';
  yield* input.takeSpace();
  const fence = yield* input.takeAny(['```json', '```']);
  if (!(yield* readJsonArguments(input, second === '' ? first : second))) return;
  yield* input.dropSpace();
  if (fence !== null && (yield* input.takeAny(['```'])) !== null) yield* input.dropSpace();
}
