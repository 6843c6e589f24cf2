import { expect, test } from 'vitest';
import type { ChatMessage } from '../../../../src/core/chat/messages.ts';
import { assertFewMessages, encodePrompt } from '../../../../src/categories/chat/pipeline/encode-prompt.ts';

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
  expect(encodePrompt('x'.repeat(characters), tokenizer, 100)).toEqual(new Int32Array(tokens).fill(7));
});

test.each([1, 4, 8])('refuses one token too many: %d characters per token', (charactersPerToken) => {
  const encode = () =>
    encodePrompt('x'.repeat(100 * charactersPerToken), countingTokenizer(charactersPerToken), 100);
  expect(encode).toThrow(expect.objectContaining({ code: 'context_length_exceeded', param: 'messages' }));
});

test.each([1, 2, 4, 8])(
  'reads a small part of what is far too long: %d characters per token',
  (charactersPerToken) => {
    const tokenizer = countingTokenizer(charactersPerToken);
    expect(() => encodePrompt('x'.repeat(1_000_000), tokenizer, 100)).toThrow('resulted in 101 tokens or more');
    expect(tokenizer.read).toBeLessThanOrEqual(100 * charactersPerToken * 8);
  },
);

/** What clients look for, lower-cased by litellm; langchain-openai goes by the code. */
test.each([
  /^This model's maximum context length is 100 tokens\. However, your messages resulted in 120 tokens/,
  /this model's maximum context length is/i,
  /maximum context length is (\d+) tokens.*?resulted in (\d+) tokens/,
])('says that a conversation is too long as clients know it: %s', (pattern) => {
  expect(() => encodePrompt('x'.repeat(120), countingTokenizer(1), 100)).toThrow(pattern);
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
  const check = () => assertFewMessages(messages, 100);
  if (isFine) expect(check).not.toThrow();
  else expect(check).toThrow(expect.objectContaining({ code: 'context_length_exceeded', param: 'messages' }));
});
