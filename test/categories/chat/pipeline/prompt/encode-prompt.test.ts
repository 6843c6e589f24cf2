import { expect, test } from 'vitest';
import { runSteps } from '../../../../../src/core/run-steps.ts';
import type { ChatMessage } from '../../../../../src/core/chat/messages.ts';
import {
  assertFewMessages,
  encodePrompt as encodePromptSteps,
  type PromptOptions,
} from '../../../../../src/categories/chat/pipeline/prompt/encode-prompt.ts';

/** All slices at once. */
function encodePrompt(
  text: string,
  { encode }: { readonly encode: (text: string) => readonly number[] },
  options: PromptOptions,
): Int32Array {
  const steps = function* (part: string): Generator<void, readonly number[]> {
    yield;
    return encode(part);
  };
  return runSteps(encodePromptSteps(text, steps, options));
}

/** One token for every `charactersPerToken` characters, and a count of the characters that it read. */
function countingTokenizer(charactersPerToken: number) {
  const tokenizer = {
    read: 0,
    encode(text: string): number[] {
      tokenizer.read += text.length;
      return Array.from({ length: Math.ceil(text.length / charactersPerToken) }, () => 7);
    },
  };
  return tokenizer;
}

test.each([
  [1, 99, 99],
  [4, 396, 99],
  [8, 792, 99],
  [1000, 99_000, 99],
])('encodes what fits: %d characters per token, %d characters', (charactersPerToken, characters, tokens) => {
  const tokenizer = countingTokenizer(charactersPerToken);
  expect(encodePrompt('x'.repeat(characters), tokenizer, { contextLength: 100 })).toEqual(
    new Int32Array(tokens).fill(7),
  );
});

test.each([1, 4, 8])('refuses one token too many: %d characters per token', (charactersPerToken) => {
  const encode = () =>
    encodePrompt('x'.repeat(100 * charactersPerToken), countingTokenizer(charactersPerToken), {
      contextLength: 100,
    });
  expect(encode).toThrow(expect.objectContaining({ code: 'context_length_exceeded', param: 'messages' }));
});

test.each([1, 2, 4, 8])(
  'reads a small part of what is far too long: %d characters per token',
  (charactersPerToken) => {
    const tokenizer = countingTokenizer(charactersPerToken);
    expect(() => encodePrompt('x'.repeat(1_000_000), tokenizer, { contextLength: 100 })).toThrow(
      'resulted in 101 tokens or more',
    );
    expect(tokenizer.read).toBeLessThanOrEqual(100 * charactersPerToken * 8);
  },
);

/** What clients look for, lower-cased by litellm; langchain-openai goes by the code. */
test.each([
  /^This model's maximum context length is 100 tokens\. However, your messages resulted in 120 tokens/,
  /this model's maximum context length is/i,
  /maximum context length is (\d+) tokens.*?resulted in (\d+) tokens/,
])('says that a conversation is too long as clients know it: %s', (pattern) => {
  expect(() => encodePrompt('x'.repeat(120), countingTokenizer(1), { contextLength: 100 })).toThrow(pattern);
});

/** A token for each character, so that what is kept can be seen. */
const spelling = { encode: (text: string) => Array.from(text, (character) => character.charCodeAt(0)) };
const spelled = (text: string, options: Partial<PromptOptions>) =>
  String.fromCharCode(...encodePrompt(text, spelling, { contextLength: 10, ...options }));

test.each<[string, number, Partial<PromptOptions>, string]>([
  ['all', 8, { truncatePromptTokens: 0 }, '01234567'],
  ['more than there are', 8, { truncatePromptTokens: 9 }, '01234567'],
  ['the last', 8, { truncatePromptTokens: 3 }, '567'],
  ['the last of a text that is far too long', 5000, { truncatePromptTokens: 3 }, '789'],
  ['as many as fit beside the answer', 40, { truncatePromptTokens: -1, maxTokens: 3 }, '3456789'],
  ['half of the context', 40, { truncatePromptTokens: -1, maxTokens: 256 }, '56789'],
])('keeps %s', (_name, length, options, kept) => {
  expect(spelled('0123456789'.repeat(500).slice(0, length), options)).toBe(kept);
});

test('refuses a text that is too long still', () => {
  expect(() => spelled('0'.repeat(40), { truncatePromptTokens: 10 })).toThrow('resulted in 10 tokens');
  expect(() => spelled('0'.repeat(5000), { truncatePromptTokens: 1e9 })).toThrow('resulted in 10 tokens');
});

test('encodes a small part of what is far too long', () => {
  const tokenizer = countingTokenizer(1);
  encodePrompt('x'.repeat(1_000_000), tokenizer, { contextLength: 100, truncatePromptTokens: 50 });
  expect(tokenizer.read).toBeLessThanOrEqual(4 * 128 * 2);
});

const user = { role: 'user', content: '' } as const;
const calls = (count: number): ChatMessage => ({
  role: 'assistant',
  content: null,
  toolCalls: Array.from({ length: count }, (_, index) => ({ id: `${index}`, name: 'f', arguments: '{}' })),
});

test.each<[boolean, ChatMessage[]]>([
  [true, Array.from({ length: 100 }, () => user)],
  [false, Array.from({ length: 101 }, () => user)],
  [true, [user, calls(98)]],
  [false, [user, calls(99)]],
])('a context of 100 tokens, few enough messages: %s', (isFine, messages) => {
  const check = () => assertFewMessages(messages, { contextLength: 100 });
  if (isFine) expect(check).not.toThrow();
  else expect(check).toThrow(expect.objectContaining({ code: 'context_length_exceeded', param: 'messages' }));
});
