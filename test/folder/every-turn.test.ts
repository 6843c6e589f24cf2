import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import type { ChatMessage } from '../../src/core/chat/messages.ts';
import { mergeTurns, type TurnKind } from '../../src/core/chat/turns.ts';
import { createChatTemplate, type ChatTemplate } from '../../src/folder/chat-template.ts';
import { withEveryTurn } from '../../src/folder/every-turn.ts';
import type { ModelFolder } from '../../src/contracts/text-model.ts';
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
  const found = new Set<TurnKind>();
  expect(mergeTurns(conversation, new Set(['parallel-calls']), found)).toEqual([
    user('Q'),
    { role: 'assistant', content: 'Well.', toolCalls: [call('1')] },
    result('1'),
    { role: 'assistant', content: null, toolCalls: [call('2')] },
    result('2'),
    answer,
    { role: 'assistant', content: null, toolCalls: [call('3')] },
    result('3'),
  ]);
  expect([...found]).toEqual(['parallel-calls']);
  expect(mergeTurns(conversation, new Set())).toBe(conversation);
});

/** Roles take turns but for calls, whose texts are lost; the system message stands before the user's turn at the end alone. */
const mistral =
  "{% set ns = namespace(turn=0) %}{% for m in messages if m.role in ['user', 'assistant'] and not m.tool_calls %}{% if (m.role == 'user') != (ns.turn % 2 == 0) %}{{ raise_exception('Roles must alternate.') }}{% endif %}{% set ns.turn = ns.turn + 1 %}{% endfor %}" +
  "{% for m in messages %}{% if m.role == 'system' %}{% if not loop.first %}{{ raise_exception('Later system.') }}{% endif %}{% elif m.tool_calls %}|c {{ m.tool_calls[0].function.arguments.text }}{% else %}|{{ m.role[0] }} {% if loop.last and m.role == 'user' and messages[0].role == 'system' %}{{ messages[0].content }} {% endif %}{{ m.content }}{% endif %}{% endfor %}";
/** Refuses a thought with a text and a call. */
const harmony =
  "{% for m in messages %}|{{ m.role[0] }} {% if m.tool_calls %}{% if m.content and m.thinking %}{{ raise_exception('Both.') }}{% endif %}{{ m.content or m.thinking }} {{ m.tool_calls[0].function.arguments.text }}{% else %}{{ m.content }}{% endif %}{% endfor %}";

/** Conversations of up to so many turns that end in one of the user or a result. */
function conversationsOf(most: number, kinds: string): readonly string[] {
  let all = [''];
  const ended: string[] = [];
  for (let length = 1; length <= most; length++) {
    all = all.flatMap((turns) =>
      [...kinds].filter((kind) => (kind === 'T') === /[CK]$/.test(turns)).map((kind) => turns + kind),
    );
    ended.push(...all.filter((turns) => /[UT]$/.test(turns)));
  }
  return ended;
}

/** S system, U user, A assistant, C and K calls without and with a thought, T result. */
function messagesOf(turns: string): readonly ChatMessage[] {
  return [...turns].map((kind, at): ChatMessage => {
    if (kind === 'S') return system(`System ${at}.`);
    if (kind === 'U') return user(`User ${at}.`);
    if (kind === 'A') return { role: 'assistant', content: `Answer ${at}.` };
    if (kind === 'T') return { role: 'tool', toolCallId: `callatno${at - 1}`, content: `Result ${at}.` };
    const toolCalls = [{ id: `callatno${at}`, name: 'f', arguments: `{"text":"argument_${at}"}` }];
    const thought = kind === 'K' ? { reasoningContent: `Thought ${at}.` } : {};
    return { role: 'assistant', content: `Said ${at}.`, ...thought, toolCalls };
  });
}

/** Texts of a conversation that aren't in its prompt once and in order; of the system in any order where a header says so. */
function misplaced(template: ChatTemplate, messages: readonly ChatMessage[]): readonly string[] {
  const merged = new Set<TurnKind>();
  const prompt = template.render(messages, [], {}, merged);
  const isMoved = [...merged].some((kind) => kind.includes('system'));
  let end = 0;
  return messages.flatMap((message) => {
    const texts = [message.content!, ...(message.role === 'assistant' ? (message.toolCalls ?? []) : [])];
    return texts
      .map((text) =>
        typeof text === 'string' ? text : (JSON.parse(text.arguments) as { text: string }).text,
      )
      .filter((text) => {
        const at = prompt.indexOf(text);
        const isRight = at >= end || (isMoved && message.role === 'system' && at >= 0);
        if (message.role !== 'system' || !isMoved) end = at;
        return !isRight || prompt.includes(text, at + 1);
      });
  });
}

describe('every text is in the prompt once and in order', () => {
  it.each([
    ['keeps the last system message', keepsLast, 'SUA'],
    ['wants roles in turn', strict, 'SUA'],
    ['wants roles in turn, but for calls', mistral, 'SUACKT'],
    ['refuses a thought with a text and a call', harmony, 'SUACKT'],
  ])('under a template that %s', (_, source, kinds) => {
    const template = templateOf(source);
    for (const turns of conversationsOf(5, kinds))
      expect(misplaced(template, messagesOf(turns)), turns).toEqual([]);
  });

  it.each<[string, string, string, readonly TurnKind[]]>([
    [
      'SUCT',
      mistral,
      '|u System 0.\n\nUser 1.|a Said 2.|c argument_2|t Result 3.',
      ['system', 'text-beside-call'],
    ],
    ['SUAU', mistral, '|u User 1.|a Answer 2.|u System 0. User 3.', ['moved-system']],
    ['UKT', harmony, '|u User 0.|a Said 1.|a Thought 1. argument_1|t Result 2.', ['text-beside-call']],
    ['UCT', harmony, '|u User 0.|a Said 1. argument_1|t Result 2.', []],
    ['AU', strict, '|u  |a Answer 0.|u User 1.', ['out-of-turn']],
  ])('%s says what was merged', (turns, source, prompt, kinds) => {
    const merged = new Set<TurnKind>();
    expect(templateOf(source).render(messagesOf(turns), [], {}, merged)).toBe(prompt);
    expect([...merged]).toEqual(kinds);
  });

  it('does not search for another form where a template takes too many steps', () => {
    let renders = 0;
    const source = '{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}';
    const template = createChatTemplate({
      chatTemplate: `{% if messages | length > 2 %}${source}{% endif %}{% for m in messages %}{{ m.content }}{% endfor %}`,
      tokenizerConfig: {},
      path: '.',
    } as ModelFolder);
    const counting: ChatTemplate = {
      ...template,
      renderSteps(...args) {
        renders++;
        return template.renderSteps(...args);
      },
    };
    const messages = [user('Q'), answer, user('R'), answer, user('S')];
    expect(() => withEveryTurn(counting).render(messages, [])).toThrow('steps');
    expect(renders).toBe(1);
  });

  it('names a text that no form shows', () => {
    const merged = new Set<TurnKind>();
    const silent = "{% for m in messages if m.role == 'user' %}{{ m.content }}{% endfor %}";
    expect(templateOf(silent).render(messagesOf('UAU'), [], {}, merged)).toBe('User 0.User 2.');
    expect([...merged]).toEqual(['lost']);
  });

  it.each([
    ['line breaks and quotes', '{{ m.content | tojson }}', 'a "b"\nc', '"a \\"b\\"\\nc"'],
    ['spaces around', '{{ m.content | trim }}', ' a ', 'a'],
  ])('a template that changes %s renders it as it is', (_, content, text, prompt) => {
    const merged = new Set<TurnKind>();
    const source = `{% for m in messages %}${content}{% endfor %}`;
    expect(templateOf(source).render([user(text)], [], {}, merged)).toBe(prompt);
    expect([...merged]).toEqual([]);
  });
});
