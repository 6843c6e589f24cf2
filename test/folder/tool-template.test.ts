import { describe, expect, it } from 'vitest';
import { detectFormats } from '../../src/core/chat/formats.ts';
import type { ChatMessage } from '../../src/core/chat/messages.ts';
import { createChatTemplate } from '../../src/folder/chat-template.ts';
import { withTools, type ToolTemplateSettings } from '../../src/folder/tool-template.ts';
import { folderOf } from './folders.ts';

const tool = { name: 'get_weather', description: 'Weather.', parameters: { type: 'object' } };
const user: ChatMessage = { role: 'user', content: 'Hello' };
const callOf = (id: string): ChatMessage => ({
  role: 'assistant',
  content: null,
  toolCalls: [{ id, name: 'get_weather', arguments: '{"city": "Oslo"}' }],
});
const resultOf = (toolCallId: string): ChatMessage => ({ role: 'tool', toolCallId, content: '4 °C' });

const now = () => new Date(2026, 2, 7, 9, 5, 4);
const open = (chatTemplate: string, settings: ToolTemplateSettings & { toolCallFormat?: string } = {}) => {
  const template = createChatTemplate(folderOf({ chatTemplate }), { now });
  const { source, probe } = template;
  const formats = detectFormats({ template: source, hasToken: () => false, render: probe, ...settings });
  return { own: template, ...withTools({ template, formats }, settings) };
};

/** Small templates, each with a way of its own. */
const templates = {
  plain: '{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}',
  /** As Gemma 2: no system role, and turns. */
  turns:
    "{% if messages[0].role == 'system' %}{{ raise_exception('No system') }}{% endif %}{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Turns') }}{% endif %}<{{ m.role }}>{{ m.content }}{% endfor %}",
  /** As R1 distills: calls and results, and no tools. */
  callsOnly:
    '{% for m in messages %}{% if m.tool_calls %}{% for c in m.tool_calls %}<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>{{ c.function.name }}\n```json\n{{ c.function.arguments | tojson }}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>{% endfor %}{% else %}<{{ m.role }}>{{ m.content }}{% endif %}{% endfor %}',
  /** As DeepSeek V3.1. */
  namedCalls:
    '{% for m in messages %}{% if m.tool_calls %}{% for c in m.tool_calls %}<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>{{ c.function.name }}<｜tool▁sep｜>{{ c.function.arguments | tojson }}<｜tool▁call▁end｜><｜tool▁calls▁end｜>{% endfor %}{% else %}<{{ m.role }}>{{ m.content }}{% endif %}{% endfor %}',
  /** As SmolLM3: the word, and another variable. */
  xml: '{% if xml_tools %}<tools>{% for t in xml_tools %}{{ t | tojson }}{% endfor %}</tools> <tool_call>{% endif %}{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}',
  /** As FireFunction v2: text. */
  functions:
    "{{ 'functools: ' + functions + ' Today is ' + datetime }}{% for m in messages %}<{{ m.role }}>{{ m.content }}{% for c in m.tool_calls or [] %} functools[{{ c.function | tojson }}]{% endfor %}{% endfor %}",
  /** As LFM2.5: tools, and no calls. */
  toolsOnly:
    '{% if tools %}{{ "List of tools: [" + (tools | map("tojson") | join(", ")) + "]" }}{% endif %}{% for m in messages %}<{{ m.role }}>{{ m.content | string }}{% endfor %}',
  /** As Kimi K2: the id says the name. */
  ids: "{{ tools | tojson }}{% for m in messages %}{% for c in m.tool_calls or [] %}<|tool_calls_section_begin|><|tool_call_begin|>{{ c.id }}<|tool_call_argument_begin|>{{ c.function.arguments | tojson }}<|tool_call_end|><|tool_calls_section_end|>{% endfor %}{% if m.role == 'tool' %}## Return of {{ m.tool_call_id }}\n{% endif %}{{ m.content }}{% endfor %}",
  /** As Apriel 1.5: it says one thing and does another. */
  misnamed:
    "{% if tools %}{{ tools | tojson }} in <tool_call></tool_call> tags{% endif %}{% for m in messages %}{{ m.content }}{% if m.tool_calls %}<tool_calls>[{% for c in m.tool_calls %}{{ {'name': c.function.name, 'arguments': c.function.arguments} | tojson }}{% endfor %}]</tool_calls>{% endif %}{% endfor %}",
  /** As Kimi K2 Thinking: it changes a list, which the reference forbids. */
  changing:
    "{{ tools | tojson }}{% set n = namespace(ids=[]) %}{% for m in messages %}{% for c in m.tool_calls or [] %}{% set _ = n.ids.append(c.id) %}<tool_call>{{ {'name': c.function.name, 'arguments': c.function.arguments} | tojson }}</tool_call>{% endfor %}{% if m.role == 'tool' %}{{ n.ids.pop(0) }}{% endif %}{{ m.content }}{% endfor %}",
} as const;

describe('withTools', () => {
  it.each<[keyof typeof templates, boolean, boolean, string]>([
    ['plain', false, false, 'hermes'],
    ['turns', false, false, 'hermes'],
    ['callsOnly', false, true, 'template'],
    ['namedCalls', false, true, 'template'],
    ['xml', true, false, 'hermes'],
    ['functions', true, true, 'functools'],
    ['toolsOnly', true, false, 'lfm2'],
    ['ids', true, true, 'template'],
    ['misnamed', true, true, 'template'],
    ['changing', true, true, 'template'],
  ])('%s: the model learns of tools, calls and results', (name, supportsTools, showsCalls, format) => {
    const { own, template, formats } = open(templates[name]);
    expect([own.supportsTools, own.showsCalls]).toEqual([supportsTools, showsCalls]);
    expect([template.supportsTools, formats.toolCalls?.name]).toEqual([true, format]);
    const text = template.render([user, callOf('call_1'), resultOf('call_1')], [tool]);
    for (const part of ['get_weather', 'Weather.', 'Hello', 'Oslo', '4 °C']) expect(text).toContain(part);
    expect(text.split('Weather.')).toHaveLength(2);
  });

  it('renders without tools what the template renders', () => {
    for (const chatTemplate of Object.values(templates)) {
      const { own, template } = open(chatTemplate);
      expect(template.render([user], [])).toBe(own.render([user], []));
    }
  });

  it('gives FireFunction its tools as text, and the time', () => {
    expect(open(templates.functions).template.render([user], [])).toBe(
      'functools: [] Today is 2026-03-07 09:05:04<user>Hello',
    );
  });

  it('takes another format, another instruction, and no for an answer', () => {
    const call = (settings: Parameters<typeof open>[1]) =>
      open(templates.plain, settings).template.render([user], [tool]);
    expect(call({ toolCallFormat: 'lfm2' })).toContain('<|tool_call_start|>[function_name(');
    expect(call({ toolPrompt: 'Call {{ tools[0].name }}!' })).toBe('<system>Call get_weather!<user>Hello');
    expect(
      open(templates.xml, { toolPrompt: 'Call {{ tools[0].name }}!' }).template.render([user], [tool]),
    ).toBe('<system>Call get_weather!<user>Hello');
    const refused = open(templates.toolsOnly, { tools: false });
    expect([refused.template.supportsTools, refused.formats.toolCalls]).toEqual([false, undefined]);
    expect(() => open(templates.plain, { toolPrompt: '{% for %}' })).toThrow(/^toolPrompt: /);
  });

  it('gives Kimi the ids that say the name, counted over the conversation', () => {
    const { template } = open(templates.ids);
    const ids = (messages: ChatMessage[]) =>
      template.render(messages, [tool]).match(/functions\.get_weather:\d+/g);
    const own = 'functions.get_weather:3';
    expect(ids([user, callOf('a'), resultOf('a'), callOf('b'), resultOf('b')])).toEqual([
      'functions.get_weather:0',
      'functions.get_weather:0',
      'functions.get_weather:1',
      'functions.get_weather:1',
    ]);
    expect(ids([user, callOf(own), resultOf(own)])).toEqual([own, own]);
  });

  it('says which variables act, and takes them', () => {
    const { own } = open(
      '{% for d in documents or [] %}{{ d.text }}{% endfor %}{% if enable_thinking %}think{% endif %}',
    );
    expect(['documents', 'enable_thinking', 'thinking'].map((name) => own.reads(name))).toEqual([
      true,
      true,
      false,
    ]);
    expect(own.render([user], [], { documents: [{ text: 'Fact.' }], enable_thinking: true })).toBe(
      'Fact.think',
    );
  });
});
