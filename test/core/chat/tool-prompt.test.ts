import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../../src/core/chat/messages.ts';
import { hermesFormat } from '../../../src/core/chat/tool-calls/rows.ts';
import { knownFormats } from './tool-calls/known-formats.ts';
import { describeTools, instruct, writeToolTurns } from '../../../src/core/chat/tool-prompt.ts';
import { parsePieces } from './tool-calls/items.ts';

const tool = { name: 'get_weather', description: 'Weather.', parameters: { type: 'object' } };
const user = (content: string): ChatMessage => ({ role: 'user', content });
const result = (toolCallId: string, content: string): ChatMessage => ({ role: 'tool', toolCallId, content });
const call = (id: string): ChatMessage => ({
  role: 'assistant',
  content: 'Well.',
  toolCalls: [{ id, name: 'f', arguments: '{"a": 1}' }],
});

describe('writeCalls', () => {
  it.each(knownFormats.map((format) => [format.name, format] as const))(
    'writes what %s reads',
    (_, format) => {
      const text = format.write([{ name: 'f', arguments: '{"a": "x", "n": 2, "on": true}' }])!;
      const items = parsePieces(format.createParser([]), [text]).filter((item) => typeof item !== 'string');
      expect(items.map(({ name, end }) => [name, end])).toEqual([['f', 'whole']]);
      expect(JSON.parse(items[0]!.arguments)).toEqual({ a: 'x', n: 2, on: true });
    },
  );
});

describe('describeTools', () => {
  it.each(knownFormats.map((format) => [format.name, format] as const))(
    'shows how %s is written',
    (_, format) => {
      const text = describeTools([tool], format);
      expect(text).toContain(JSON.stringify(tool));
      expect(text).toContain(format.write([{ name: 'function_name', arguments: '{"parameter": "value"}' }]));
    },
  );
});

describe('instruct', () => {
  it.each<[string, ChatMessage[], boolean, (readonly [string, string])[]]>([
    [
      'no system message',
      [user('Hi')],
      true,
      [
        ['system', 'Do.'],
        ['user', 'Hi'],
      ],
    ],
    [
      'a system message',
      [{ role: 'system', content: 'Be.' }, user('Hi')],
      true,
      [
        ['system', 'Be.\n\nDo.'],
        ['user', 'Hi'],
      ],
    ],
    [
      'a template without the role',
      [user('Hi'), user('Ho')],
      false,
      [
        ['user', 'Do.\n\nHi'],
        ['user', 'Ho'],
      ],
    ],
  ])('%s', (_, messages, hasSystemRole, expected) => {
    expect(instruct(messages, 'Do.', { hasSystemRole }).map(({ role, content }) => [role, content])).toEqual(
      expected,
    );
  });
});

describe('writeToolTurns', () => {
  it('writes calls and results as messages whose roles take turns', () => {
    const messages = [user('Hi'), call('1'), result('1', 'one'), result('2', 'two'), user('And?')];
    expect(writeToolTurns(messages, hermesFormat)).toEqual([
      user('Hi'),
      {
        role: 'assistant',
        content: 'Well.\n<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
      },
      user('<tool_response>\none\n</tool_response>\n<tool_response>\ntwo\n</tool_response>\nAnd?'),
    ]);
  });
});
