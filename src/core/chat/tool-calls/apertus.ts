import { defineFormat } from './define-format.ts';
import type { AnswerInput, Reading } from './answer-input.ts';
import { readJsonArguments, takeJsonString } from './json-calls.ts';

const openMarker = '<|tools_prefix|>';
const endMarker = '<|tools_suffix|>';

/** A list of objects, each with the name as its one key, between markers. */
export const apertusFormat = defineFormat({
  name: 'apertus',
  families: { Apertus: ['Apertus 8B', 'Apertus 70B'] },
  calls: { open: [openMarker], end: [endMarker], readCalls },
  frame: { trigger: openMarker, begin: `${openMarker}[`, separator: ', ', end: `]${endMarker}` },
  call: (name) => ({ prefix: `{${JSON.stringify(name)}: `, suffix: '}' }),
});

function* readCalls(input: AnswerInput): Reading {
  yield* input.takeSpace();
  if ((yield* input.takeAny(['['])) === null) return input.giveUp();
  for (let isAfterCall = false; ; isAfterCall = true) {
    yield* input.takeSpace();
    if ((yield* input.takeAny([']'])) !== null || (isAfterCall && !(yield* input.hasMore()))) break;
    const isObject = (yield* input.takeAny(['{'])) !== null;
    yield* input.takeSpace();
    const key = isObject ? yield* takeJsonString(input) : undefined;
    yield* input.takeSpace();
    if (!key || (yield* input.takeAny([':'])) === null) return input.giveUp();
    if (!(yield* readJsonArguments(input, key))) return;
    yield* input.takeAny(['}']);
    yield* input.takeSpace();
    yield* input.takeAny([',']);
    input.drop();
  }
  yield* input.dropSpace();
}
