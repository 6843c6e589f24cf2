import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../src/core/chat/messages.ts';
import { createChatTemplate } from '../../src/models/chat-template.ts';
import { folderOf } from './folders.ts';

const user: ChatMessage = { role: 'user', content: 'Hello' };
const tool = { name: 'get_weather', description: 'Weather.', parameters: { type: 'object' } };
const render = (chatTemplate: string | Record<string, string>, messages: ChatMessage[] = [user], tools = [tool]) =>
  createChatTemplate(folderOf({ chatTemplate, tokenizerConfig: { bos_token: '<s>', eos_token: { content: '</s>' } } })).render(
    messages,
    tools,
  );

describe('createChatTemplate', () => {
  it('gives messages, special tokens and the generation prompt to the template', () => {
    const template = '{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}{{ eos_token }}{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}';
    expect(render(template)).toBe('<s>[user]Hello</s>[assistant]');
  });

  it('gives tools in the shape that templates expect', () => {
    expect(render('{{ tools[0] | tojson }}')).toBe(
      '{"type": "function", "function": {"name": "get_weather", "description": "Weather.", "parameters": {"type": "object"}}}',
    );
    expect(render('{{ tools is defined }}', [user], [])).toBe('false');
  });

  it('gives tool calls with their arguments as an object', () => {
    const messages: ChatMessage[] = [
      { role: 'assistant', content: null, toolCalls: [{ id: 'call_1', name: 'f', arguments: '{"city": "Oslo", "n": 2}' }] },
      { role: 'tool', content: '4 °C', toolCallId: 'call_1' },
    ];
    const template =
      '{% for m in messages %}{% for c in m.tool_calls or [] %}{{ c.id }} {{ c.function.name }} {{ c.function.arguments.city }} {{ c.function.arguments | tojson }};{% endfor %}{{ m.tool_call_id }} {{ m.content }}{% endfor %}';
    expect(render(template, messages)).toBe('call_1 f Oslo {"city": "Oslo", "n": 2}; call_1 4 °C');
  });

  it('uses the variant for tools where there is one', () => {
    const named = { default: 'plain', tool_use: 'tools: {{ tools | length }}' };
    expect(render(named)).toBe('tools: 1');
    expect(render(named, [user], [])).toBe('plain');
  });

  it('says whether the template has a place for tools', () => {
    expect(createChatTemplate(folderOf({ chatTemplate: '{{ messages }}' })).supportsTools).toBe(false);
    expect(createChatTemplate(folderOf({ chatTemplate: '{% if tools %}{% endif %}' })).supportsTools).toBe(true);
  });

  it("passes on the template's own refusal", () => {
    expect(() => render("{{ raise_exception('Roles must alternate') }}")).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: 'messages', message: expect.stringContaining('Roles must alternate') }),
    );
  });

  it.each([
    ['none at all', undefined],
    ['one that is no Jinja', '{% for %}'],
  ])('refuses a model with %s', (_name, chatTemplate) => {
    expect(() => createChatTemplate(folderOf({ chatTemplate }))).toThrow(expect.objectContaining({ param: 'source' }));
  });
});
