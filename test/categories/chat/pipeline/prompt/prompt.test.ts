import { toTextMessage } from '../../../../../src/core/chat/messages.ts';
import { runSteps } from '../../../../../src/core/run-steps.ts';
import { describe, expect, it } from 'vitest';
import { createChatTemplate } from '../../../../../src/folder/chat-template.ts';
import { completeChatRequest, type ChatRequestInput } from '../../../../../src/categories/chat/request.ts';
import { renderPrompt, thinkingPrompt } from '../../../../../src/categories/chat/pipeline/prompt/prompt.ts';
import { folderOf } from '../../../../folder/folders.ts';

const tools = [
  { name: 'get_time', description: 'Current time in a city.' },
  { name: 'get_weather', description: 'Current weather in a city.' },
];

function render(
  chatTemplate: string,
  changes: Partial<ChatRequestInput> = {},
): { text: string; used: string[] } {
  const messages = [{ role: 'user' as const, content: 'How is the weather in Oslo?' }];
  const complete = completeChatRequest({ model: 'm', messages, tools, ...changes });
  const request = { ...complete, messages: complete.messages.map(toTextMessage) };
  const template = createChatTemplate(folderOf({ chatTemplate }));
  const { text, tools: used } = runSteps(renderPrompt(request, template, false));
  return { text, used: used.map(({ name }) => name) };
}

const names = '{% for tool in tools or [] %}{{ tool.function.name }} {% endfor %}';
const single = `{% if tools and tools | length > 1 %}{{ raise_exception('One tool only') }}{% endif %}${names}`;

describe('renderPrompt', () => {
  it('offers every tool', () => {
    expect(render(names)).toEqual({ text: 'get_time get_weather ', used: ['get_time', 'get_weather'] });
  });

  it('offers none when none may be called', () => {
    expect(render(names, { toolChoice: 'none' })).toEqual({ text: '', used: [] });
  });

  it('offers the one that fits the question best where the template takes one', () => {
    expect(render(single)).toEqual({ text: 'get_weather ', used: ['get_weather'] });
  });

  it('offers the one that has to be called where the template takes one', () => {
    expect(render(single, { toolChoice: { name: 'get_time' } }).used).toEqual(['get_time']);
  });

  it('passes on a refusal that has nothing to do with the number of tools', () => {
    expect(() => render("{{ raise_exception('No') }}")).toThrow(
      expect.objectContaining({ param: 'messages' }),
    );
  });
});

it('names the arguments of a call that are cut off, where the template needs an object', () => {
  const needs =
    '{% for m in messages %}{% for c in m.tool_calls or [] %}{% for k, v in c.function.arguments | items %}{{ k }}{% endfor %}{% endfor %}{% endfor %}';
  const call = (text: string) => ({
    messages: [
      { role: 'user' as const, content: 'Hi' },
      { role: 'assistant' as const, content: null, toolCalls: [{ id: '1', name: 'f', arguments: text }] },
      { role: 'tool' as const, toolCallId: '1', content: '' },
    ],
  });
  expect(render(needs, call('{"a": 1}')).text).toBe('a');
  expect(() => render(needs, call('{"a": "Par'))).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      param: 'messages[1].tool_calls[0].function.arguments',
    }),
  );
});

describe('continue_final_message', () => {
  const turns =
    '{% for m in messages %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}';
  const trimming = turns.replace('m.content', 'm.content | trim');
  const hiding = turns.replace('m.content', "m.content.split('</think>')[-1]");
  const continued = (content: string) => ({
    tools: [],
    continueFinalMessage: true,
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content },
    ] as const,
  });

  it.each([
    [turns, 'Hello', '<user>Hi</user><assistant>Hello'],
    [turns, 'Hello ', '<user>Hi</user><assistant>Hello '],
    [turns, 'Hi', '<user>Hi</user><assistant>Hi'],
    [turns, '', '<user>Hi</user><assistant>'],
    [trimming, ' Hello \n', '<user>Hi</user><assistant>Hello'],
    [hiding, '<think>a</think>b', '<user>Hi</user><assistant>b'],
  ])('%s ends with %j', (template, content, text) => {
    expect(render(template, continued(content)).text).toBe(text);
  });

  it('leaves the turn closed without it', () => {
    const { messages } = continued('Hello');
    const closed = '<user>Hi</user><assistant>Hello</assistant>';
    expect(render(turns, { tools: [], messages, addGenerationPrompt: false }).text).toBe(closed);
    expect(render(turns, { tools: [], messages }).text).toBe(`${closed}<assistant>`);
  });

  it('is refused where the template shows no message of the assistant', () => {
    const template = "{% for m in messages if m.role == 'user' %}{{ m.content }}{% endfor %}";
    expect(() => render(template, continued('Hello'))).toThrow(
      expect.objectContaining({ code: 'unsupported_feature', param: 'continue_final_message' }),
    );
  });

  it.each([
    ['Hello', 'prompt'],
    ['<think>Hm', '<think>'],
    ['<think>a</think>b', 'prompt'],
    ['<think>a</think>b<think>c', '<think>a</think>b<think>'],
  ])('%j goes on in the thinking or not', (content, expected) => {
    const request = completeChatRequest({ model: 'm', ...continued(content) });
    const markers = { open: ['<think>'], close: ['</think>'] };
    const texts = { ...request, messages: request.messages.map(toTextMessage) };
    expect(thinkingPrompt(texts, 'prompt', markers)).toBe(expected);
  });
});
