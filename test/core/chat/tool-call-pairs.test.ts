import { expect, it } from 'vitest';
import type { ChatMessage } from '../../../src/core/chat/messages.ts';
import { findToolCallMismatch } from '../../../src/core/chat/tool-call-pairs.ts';

const user: ChatMessage = { role: 'user', content: 'Hello' };
const answer: ChatMessage = { role: 'assistant', content: 'Hi' };
const calls = (...ids: string[]): ChatMessage => ({
  role: 'assistant',
  content: null,
  toolCalls: ids.map((id) => ({ id, name: 'f', arguments: '{}' })),
});
const result = (toolCallId: string): ChatMessage => ({ role: 'tool', toolCallId, content: '' });

it.each<[string, ChatMessage[]]>([
  ['no calls', [user, answer, user]],
  ['a call with its result', [user, calls('a'), result('a')]],
  ['results in another order', [user, calls('a', 'b'), result('b'), result('a'), answer]],
  ['an id used again in a later turn', [calls('a'), result('a'), answer, user, calls('a'), result('a')]],
  ['calls after results', [calls('a'), result('a'), calls('b'), result('b')]],
  ['an empty list of calls', [calls(), user]],
])('accepts %s', (_name, messages) => {
  expect(findToolCallMismatch(messages)).toBeUndefined();
});

it.each<[string, ChatMessage[], string]>([
  ['a result without a call', [user, result('a')], 'messages[1].tool_call_id'],
  ['a result of another call', [calls('a'), result('b')], 'messages[1].tool_call_id'],
  ['a second result', [calls('a'), result('a'), result('a')], 'messages[2].tool_call_id'],
  ['a result that comes too late', [calls('a'), user, result('a')], 'messages[0].tool_calls[0].id'],
  ['a call without a result', [calls('a', 'b'), result('a'), user], 'messages[0].tool_calls[1].id'],
  ['a call at the end', [user, calls('a')], 'messages[1].tool_calls[0].id'],
  ['two calls of one id', [calls('a', 'a'), result('a')], 'messages[0].tool_calls[1].id'],
])('names the field at fault in %s', (_name, messages, param) => {
  expect(findToolCallMismatch(messages)?.param).toBe(param);
});
