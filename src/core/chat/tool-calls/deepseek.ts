import type { AnswerInput, Reading } from './answer-input.ts';
import { namedCall } from './call-frame.ts';
import { defineFormat } from './define-format.ts';
import { readJsonArguments, readName } from './json-calls.ts';

const begin = '<｜tool▁calls▁begin｜>';
const end = '<｜tool▁calls▁end｜>';
const open = '<｜tool▁call▁begin｜>';
const close = '<｜tool▁call▁end｜>';
const separator = '<｜tool▁sep｜>';
const markers = [begin, end, open, close, separator];

/** Calls as DeepSeek models write them, from V3 and R1 to V3.1. */
const calls = { begin: [begin], open: [open], close: [close], end: [end], readCalls };

/** The kind of tool, the name, and JSON in a code block. */
export const deepseekFormat = defineFormat({
  name: 'deepseek-v3',
  families: {
    'DeepSeek V3': ['DeepSeek V3', 'DeepSeek V3 0324'],
    'DeepSeek R1': ['DeepSeek R1', 'DeepSeek R1 0528', 'DeepSeek R1 Distill'],
  },
  markers,
  calls,
  frame: { begin, open: `${open}function${separator}`, close: `\n\`\`\`${close}`, end },
  call: namedCall('\n```json\n'),
});

/** The name and plain JSON. */
export const deepseekV31Format = defineFormat({
  name: 'deepseek-v3.1',
  families: { 'DeepSeek V3.1': ['DeepSeek V3.1', 'DeepSeek V3.1 Terminus'] },
  markers,
  calls,
  detect: ({ template }) => template.includes(begin) && !template.includes('```json'),
  frame: { begin, open, close, separator: '', end },
  call: namedCall(separator),
});

function* readCalls(input: AnswerInput): Reading {
  const first = yield* readName(input);
  if (first === '' || (yield* input.takeAny([separator])) === null) return input.giveUp();
  const second = first === 'function' ? yield* readName(input) : '';
  yield* input.takeSpace();
  const fence = yield* input.takeAny(['```json', '```']);
  if (!(yield* readJsonArguments(input, second === '' ? first : second))) return;
  if (fence !== null && (yield* input.takeAny(['```'])) !== null) yield* input.dropSpace();
}
