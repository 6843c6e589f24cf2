import { expect, it } from 'vitest';
import { contentText, toTextMessage, type MessageContent } from '../../../src/core/chat/messages.ts';

it.each<[MessageContent, string]>([
  ['a', 'a'],
  [[], ''],
  [[{ type: 'text', text: 'a' }], 'a'],
  [
    [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ],
    'a\nb',
  ],
])('the text of %j is %j', (content, expected) => {
  expect(contentText(content)).toBe(expected);
  expect(toTextMessage({ role: 'user', content, name: 'Ada' })).toEqual({
    role: 'user',
    content: expected,
    name: 'Ada',
  });
});

it('an assistant that only calls tools has no text', () => {
  const message = {
    role: 'assistant',
    content: null,
    toolCalls: [{ id: 'a', name: 'b', arguments: '{}' }],
  } as const;
  expect(toTextMessage(message)).toEqual(message);
});
