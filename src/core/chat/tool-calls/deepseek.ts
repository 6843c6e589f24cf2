import type { AnswerInput, Reading } from './answer-input.ts';
import { framedCalls, namedCall } from './call-frame.ts';
import { defineFormat } from './define-format.ts';
import { readJsonArguments, readName } from './json-calls.ts';

const beginMarker = '<｜tool▁calls▁begin｜>';
const endMarker = '<｜tool▁calls▁end｜>';
const openMarker = '<｜tool▁call▁begin｜>';
const closeMarker = '<｜tool▁call▁end｜>';
const separator = '<｜tool▁sep｜>';
const markers = [beginMarker, endMarker, openMarker, closeMarker, separator];

/** Calls as DeepSeek models write them, from V3 and R1 to V3.1. */
const calls = { begin: [beginMarker], open: [openMarker], close: [closeMarker], end: [endMarker], readCalls };

/** The kind of tool, the name, and JSON in a code block. */
export const deepseekFormat = defineFormat({
  name: 'deepseek-v3',
  families: {
    'DeepSeek V3': ['DeepSeek V3', 'DeepSeek V3 0324'],
    'DeepSeek R1': ['DeepSeek R1', 'DeepSeek R1 0528', 'DeepSeek R1 Distill'],
  },
  markers,
  calls,
  constraint: framedCalls(
    {
      begin: beginMarker,
      open: `${openMarker}function${separator}`,
      close: `\n\`\`\`${closeMarker}`,
      end: endMarker,
    },
    namedCall('\n```json\n'),
  ),
});

/** The name and plain JSON. */
export const deepseekV31Format = defineFormat({
  name: 'deepseek-v3.1',
  families: { 'DeepSeek V3.1': ['DeepSeek V3.1', 'DeepSeek V3.1 Terminus'] },
  markers,
  calls,
  detect: ({ template }) => template.includes(beginMarker) && !template.includes('```json'),
  constraint: framedCalls(
    { begin: beginMarker, open: openMarker, close: closeMarker, separator: '', end: endMarker },
    namedCall(separator),
  ),
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
