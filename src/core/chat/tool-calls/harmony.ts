import type { AnswerInput, Reading } from './answer-input.ts';
import { namedCall } from './call-frame.ts';
import { defineFormat } from './define-format.ts';
import { readJsonArguments } from './json-calls.ts';

/** Special tokens of a harmony answer (https://cookbook.openai.com/articles/openai-harmony). */
export const harmonyMarkers = {
  start: '<|start|>',
  channel: '<|channel|>',
  constrain: '<|constrain|>',
  message: '<|message|>',
  end: '<|end|>',
  call: '<|call|>',
  return: '<|return|>',
} as const;

/**
 * A message to `functions.name` in the commentary channel. Everything else, messages in other channels included, is text:
 * taking the channels apart is the reasoning splitter's part.
 */
export const harmonyFormat = defineFormat({
  name: 'harmony',
  families: { 'gpt-oss': ['gpt-oss-20b', 'gpt-oss-120b', 'gpt-oss-safeguard'] },
  markers: Object.values(harmonyMarkers),
  openers: [],
  calls: {
    open: [harmonyMarkers.channel, `${harmonyMarkers.start}assistant`],
    // The prompt ends after `<|start|>assistant`, so that the recipient may come first.
    bare: ['to='],
    end: [harmonyMarkers.call, harmonyMarkers.end, harmonyMarkers.return],
    readCalls,
  },
  detect: ['<|channel|>', '<|message|>'],
  frame: { open: '<|channel|>commentary to=functions.', close: '<|call|>', separator: null },
  call: namedCall(' <|constrain|>json<|message|>'),
});

const longestHeader = 512;

/** The recipient may precede or follow the channel. */
const headerPattern =
  /^(?:<\|start\|>assistant)?\s*(?:to=([^\s<]+)\s*)?<\|channel\|>\s*\w+\s*(?:to=([^\s<]+)\s*)?(?:<\|constrain\|>)?\s*\w*\s*<\|message\|>$/;

function* readCalls(input: AnswerInput): Reading {
  const { channel, message, start, end } = harmonyMarkers;
  const ends = [message, channel, start, end];
  let marker = yield* input.holdUntil(ends);
  if (marker === channel && !input.held.startsWith(channel)) marker = yield* input.holdUntil(ends);
  const header = input.held.length <= longestHeader ? headerPattern.exec(input.held) : null;
  const recipient = header?.[1] ?? header?.[2];
  if (recipient === undefined) {
    if (marker !== null && marker !== message) input.putBack(marker.length);
    input.giveUp();
    return;
  }
  yield* readJsonArguments(input, recipient.replace(/^functions\./, ''));
}
