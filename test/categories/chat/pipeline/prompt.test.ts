import { toTextMessage } from '../../../../src/core/chat/messages.ts';
import { describe, expect, it } from 'vitest';
import { createChatTemplate } from '../../../../src/models/chat-template.ts';
import { completeChatRequest, type ChatRequestInput } from '../../../../src/categories/chat/request.ts';
import { renderPrompt } from '../../../../src/categories/chat/pipeline/prompt.ts';
import { folderOf } from '../../../models/folders.ts';

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
  const { text, tools: used } = renderPrompt(request, createChatTemplate(folderOf({ chatTemplate })));
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
