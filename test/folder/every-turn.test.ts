import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import type { ChatMessage } from '../../src/core/chat/messages.ts';
import { mergeTurns, turnKindsOf } from '../../src/core/chat/turns.ts';
import { createChatTemplate, type ChatTemplate } from '../../src/folder/chat-template.ts';
import { withEveryTurn } from '../../src/folder/every-turn.ts';
import type { ModelFolder } from '../../src/folder/model-folder.ts';
import { templateProbes } from '../../src/folder/template-probes.ts';

const templateOf = (source: string): ChatTemplate =>
  withEveryTurn(createChatTemplate({ chatTemplate: source, tokenizerConfig: {}, path: '.' } as ModelFolder));

const system = (content: string): ChatMessage => ({ role: 'system', content });
const user = (content: string): ChatMessage => ({ role: 'user', content });
const answer: ChatMessage = { role: 'assistant', content: 'Yes.' };

/** Keeps the last system message alone, and shows it first. */
const keepsLast =
  "{% set ns = namespace(s='') %}{% for m in messages %}{% if m.role == 'system' %}{% set ns.s = m.content %}{% endif %}{% endfor %}{{ ns.s }}{% for m in messages %}{% if m.role != 'system' %}|{{ m.role[0] }} {{ m.content }}{% endif %}{% endfor %}";
/** Refuses the role, and roles that don't take turns. */
const strict =
  "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Roles must alternate.') }}{% endif %}|{{ m.role[0] }} {{ m.content }}{% endfor %}";
const deaf = "{% for m in messages if m.role == 'user' %}{{ m.content | length }}{% endfor %}";

describe('no instruction is lost', () => {
  it.each<[string, string, readonly ChatMessage[], string]>([
    ['a second one', keepsLast, [system('A.'), system('B.'), user('Q')], 'A.\n\nB.|u Q'],
    [
      'one in the middle',
      keepsLast,
      [system('A.'), user('Q'), answer, system('B.'), user('R')],
      'A.\n\nB.|u Q|a Yes.|u R',
    ],
    ['a late one', keepsLast, [user('Q'), answer, system('B.'), user('R')], 'B.|u Q|a Yes.|u R'],
    ['without the role', strict, [system('A.'), user('Q'), answer, user('R')], '|u A.\n\nQ|a Yes.|u R'],
    ['two without the role', strict, [system('A.'), system('B.'), user('Q')], '|u A.\n\nB.\n\nQ'],
    ['alone', strict, [system('A.')], '|u A.'],
    ['two turns of the user', strict, [user('Q'), user('R')], '|u Q\n\nR'],
    [
      'all at once',
      strict,
      [system('A.'), user('Q'), user('R'), answer, system('B.'), user('S')],
      '|u A.\n\nB.\n\nQ\n\nR|a Yes.|u S',
    ],
  ])('%s', (_, source, messages, prompt) => {
    expect(templateOf(source).render(messages, [])).toBe(prompt);
  });

  it('says which turns it merges', () => {
    const fates = (source: string) => templateOf(source).turnFates({ hasTools: false });
    expect(fates(keepsLast)).toMatchObject({
      system: 'shown',
      'second-system': 'merged',
      'later-system': 'merged',
    });
    expect(fates(strict)).toMatchObject({
      system: 'merged',
      'users-in-a-row': 'merged',
    });
  });

  it('refuses by name what can not be merged', () => {
    expect(() => templateOf(deaf).render([system('A.'), user('Q')], [])).toThrow(
      expect.objectContaining({
        param: 'messages',
        message: expect.stringContaining('has no place for a system message'),
      }),
    );
    expect(templateOf(deaf).render([user('Q')], [])).toBe('1');
  });

  const folder = new URL('golden/templates/', import.meta.url);
  test.each(readdirSync(folder).filter((name) => name.endsWith('.jinja')))('under %s', (name) => {
    const template = templateOf(readFileSync(new URL(name, folder), 'utf8'));
    const fates = template.turnFates({ hasTools: false });
    for (const { kind, conversations } of templateProbes) {
      if (fates[kind] === 'refused') continue;
      for (const messages of conversations) {
        const prompt = template.render(messages, []);
        for (const { content } of messages) expect(prompt).toContain(content ?? '');
      }
    }
  });
});

test('parallel calls follow one another, each with its result', () => {
  const call = (id: string) => ({ id, name: 'f', arguments: '{}' });
  const result = (id: string): ChatMessage => ({ role: 'tool', toolCallId: id, content: `result ${id}` });
  const conversation: ChatMessage[] = [
    user('Q'),
    { role: 'assistant', content: 'Well.', toolCalls: [call('1'), call('2')] },
    result('2'),
    result('1'),
    answer,
    { role: 'assistant', content: null, toolCalls: [call('3')] },
    result('3'),
  ];
  expect(turnKindsOf(conversation)).toEqual(['parallel-calls', 'tool-result']);
  expect(mergeTurns(conversation, { 'parallel-calls': 'merged' })).toEqual([
    user('Q'),
    { role: 'assistant', content: 'Well.', toolCalls: [call('1')] },
    result('1'),
    { role: 'assistant', content: null, toolCalls: [call('2')] },
    result('2'),
    answer,
    { role: 'assistant', content: null, toolCalls: [call('3')] },
    result('3'),
  ]);
  expect(mergeTurns(conversation, {})).toBe(conversation);
});
