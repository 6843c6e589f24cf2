import { describe, expect, it, vi } from 'vitest';
import type { ChatMessage, ToolDefinition } from '../../src/core/chat/messages.ts';
import { createChatTemplate } from '../../src/folder/chat-template.ts';
import { folderOf } from './folders.ts';

const user: ChatMessage = { role: 'user', content: 'Hello' };
const tool = { name: 'get_weather', description: 'Weather.', parameters: { type: 'object' } };
const callOf = (name: string, args: string, id = 'call_1'): ChatMessage => ({
  role: 'assistant',
  content: null,
  toolCalls: [{ id, name, arguments: args }],
});
const render = (
  chatTemplate: string | Record<string, string>,
  messages: ChatMessage[] = [user],
  tools: ToolDefinition[] = [tool],
) =>
  createChatTemplate(
    folderOf({ chatTemplate, tokenizerConfig: { bos_token: '<s>', eos_token: { content: '</s>' } } }),
  ).render(messages, tools);

describe('createChatTemplate', () => {
  it('gives messages, special tokens and the generation prompt to the template', () => {
    const template =
      '{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}{{ eos_token }}{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}';
    expect(render(template)).toBe('<s>[user]Hello</s>[assistant]');
  });

  it('gives tools in the shape that templates expect', () => {
    expect(render('{{ tools[0] | tojson }}')).toBe(
      '{"type": "function", "function": {"name": "get_weather", "description": "Weather.", "parameters": {"type": "object"}}}',
    );
    expect(render('{{ tools is none }}', [user], [])).toBe('True');
  });

  it('gives tool calls with their arguments as an object', () => {
    const messages: ChatMessage[] = [
      {
        role: 'assistant',
        content: null,
        toolCalls: [{ id: 'call_1', name: 'f', arguments: '{"city": "Oslo", "n": 2}' }],
      },
      { role: 'tool', content: '4 °C', toolCallId: 'call_1' },
    ];
    const template =
      '{% for m in messages %}{% for c in m.tool_calls or [] %}{{ c.id }} {{ c.function.name }} {{ c.function.arguments.city }} {{ c.function.arguments | tojson }};{% endfor %}{{ m.tool_call_id }} {{ m.content }}{% endfor %}';
    expect(render(template, messages)).toBe('call_1 f Oslo {"city": "Oslo", "n": 2}; call_1 4 °C');
  });

  it('gives arguments back as the model wrote them', () => {
    const text = '{"2": 1.0, "1": 12345678901234567890, "x": [1e-7, -0.0, true, null, {"é": "\\"\\u0001"}]}';
    const template = '{{ messages[0].tool_calls[0].function.arguments | tojson }}';
    expect(render(template, [callOf('f', text)])).toBe(text.replace('1e-7', '1e-07'));
    expect(render(template, [callOf('f', '')])).toBe('{}');
    expect(render(template, [callOf('f', '{"cut": ')])).toBe('"{\\"cut\\": "');
  });

  it('fills the gaps of a conversation that a template stumbles over, and only of such', () => {
    const call = callOf('f', '{}');
    expect(render('{{ messages[0].content is defined }}', [call])).toBe('False');
    expect(render("{{ messages[0].content + '!' }}", [call])).toBe('!');
    expect(render("{{ tools[0].function.description + '!' }}", [user], [{ name: 'f' }])).toBe('!');
    expect(render('{{ tools[0].function.parameters.type }}', [user], [{ name: 'f' }])).toBe('object');
    expect(() => render("{{ messages[0].content or raise_exception('Empty') }}", [call])).toThrow('Empty');
    expect(() => render('{{ messages[0].nothing.at_all }}')).toThrow("'messages[…].nothing' is undefined");
  });

  describe('with a template that takes only ids of nine characters', () => {
    const template =
      "{% for m in messages %}{% for c in m.tool_calls or [] %}{% if c.id|length != 9 %}{{ raise_exception('Nine!') }}{% endif %}{{ c.id }} {% endfor %}{{ m.tool_call_id }}{% endfor %}";
    const renderId = (id: string) =>
      render(template, [callOf('f', '{}', id), { role: 'tool', content: '', toolCallId: id }]).split(' ');

    it('derives such ids, the same for a call and its result', () => {
      const ids = ['call_abcdefghijklmnopqrstuvwx', 'call_abcdefghijklmnopqrstuvwy', '1', 'nine-char'].map(
        renderId,
      );
      for (const [call, result] of ids) {
        expect(call).toMatch(/^[a-z\d]{9}$/);
        expect(result).toBe(call);
      }
      expect(new Set(ids.map(String)).size).toBe(ids.length);
    });

    it('leaves fitting ids alone', () => {
      expect(renderId('abc123DEF')).toEqual(['abc123DEF', 'abc123DEF']);
    });
  });

  it('leaves ids alone elsewhere', () => {
    expect(render('{{ messages[0].tool_calls[0].id }}', [callOf('f', '{}', 'call_1')])).toBe('call_1');
  });

  it("reads the system's clock by default", () => {
    vi.useFakeTimers({ now: new Date(2026, 2, 7) });
    try {
      expect(render("{{ strftime_now('%d %b %Y') }}")).toBe('07 Mar 2026');
    } finally {
      vi.useRealTimers();
    }
  });

  it('ends on what would run away', () => {
    const nested = '['.repeat(200_000) + ']'.repeat(200_000);
    const refused = expect.objectContaining({ code: 'invalid_request', param: 'messages' });
    const template = '{{ messages[0].tool_calls[0].function.arguments | tojson }}';
    expect(() => render(template, [callOf('f', nested)])).toThrow(refused);
    expect(() => render('{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}')).toThrow(refused);
    expect(() => render('{{ range(1000000000) | length }}')).toThrow(refused);
  });

  it('takes the given one in place of the own, which may be missing', () => {
    const chatTemplate = '{% for m in messages %}{{ m.content }}!{% endfor %}';
    for (const own of [undefined, '{{ messages | length }}', { default: 'a', tool_use: 'b' }]) {
      const template = createChatTemplate(folderOf({ chatTemplate: own }), { chatTemplate });
      expect(template.render([user], [])).toBe('Hello!');
      expect(template.source).toBe(chatTemplate);
    }
  });

  it.each([
    [undefined, 'source', /has no chat template, as base models have none; .* setting chatTemplate/],
    ['{% for', 'chatTemplate', /expected valid Jinja: /],
    [
      './chatml.jinja',
      'chatTemplate',
      /expected Jinja that reads messages, got ".\/chatml.jinja"; the content/,
    ],
  ])('given %j, names the field at fault', (chatTemplate, param, message) => {
    expect(() => createChatTemplate(folderOf({}), { chatTemplate })).toThrow(
      expect.objectContaining({ code: 'invalid_request', param, message: expect.stringMatching(message) }),
    );
  });

  it('uses the variant for tools where there is one', () => {
    const named = { default: 'plain', tool_use: 'tools: {{ tools | length }}' };
    expect(render(named)).toBe('tools: 1');
    expect(render(named, [user], [])).toBe('plain');
  });

  it('says whether the template has a place for tools', () => {
    expect(createChatTemplate(folderOf({ chatTemplate: '{{ messages }}' })).supportsTools).toBe(false);
    expect(createChatTemplate(folderOf({ chatTemplate: '{% if tools %}{% endif %}' })).supportsTools).toBe(
      false,
    );
    expect(createChatTemplate(folderOf({ chatTemplate: '{{ tools }}' })).supportsTools).toBe(true);
  });

  it("passes on the template's own refusal", () => {
    expect(() => render("{{ raise_exception('Roles must alternate') }}")).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        param: 'messages',
        message: expect.stringContaining('Roles must alternate'),
      }),
    );
  });

  it.each([
    ['none at all', undefined],
    ['one that is no Jinja', '{% for %}'],
  ])('refuses a model with %s', (_name, chatTemplate) => {
    expect(() => createChatTemplate(folderOf({ chatTemplate }))).toThrow(
      expect.objectContaining({ param: 'source' }),
    );
  });
});
