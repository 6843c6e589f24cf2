import { defineFormat } from './define-format.ts';
import type { AnswerInput, Reading } from './answer-input.ts';
import { readJsonArguments } from './json-calls.ts';

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
    const key = isObject ? yield* readString(input) : undefined;
    yield* input.takeSpace();
    if (key === undefined || (yield* input.takeAny([':'])) === null) return input.giveUp();
    if (!(yield* readJsonArguments(input, key))) return;
    yield* input.takeAny(['}']);
    yield* input.takeSpace();
    yield* input.takeAny([',']);
    input.drop();
  }
  yield* input.dropSpace();
}

/** A JSON string without escapes, as names are. */
function* readString(input: AnswerInput): Reading<string | undefined> {
  if ((yield* input.takeAny(['"'])) === null) return undefined;
  const text = yield* input.takeWhile((unit) => !/["\\\n]/.test(unit), longestName);
  return text !== '' && (yield* input.takeAny(['"'])) !== null ? text : undefined;
}

const longestName = 256;
