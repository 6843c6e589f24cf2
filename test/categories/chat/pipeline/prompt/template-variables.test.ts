import { describe, expect, it } from 'vitest';
import {
  foreignTemplateParameters,
  templateVariables,
} from '../../../../../src/categories/chat/pipeline/prompt/prompt.ts';
import { completeChatRequest, type ChatRequestInput } from '../../../../../src/categories/chat/request.ts';
import { createChatTemplate } from '../../../../../src/folder/chat-template.ts';
import { folderOf } from '../../../../folder/folders.ts';

const say = '{% for m in messages %}{{ m.content }}{% endfor %}';
const templates = {
  plain: say,
  // As Qwen, DeepSeek and Command A have it.
  enable_thinking: `${say}{% if enable_thinking is defined and not enable_thinking %}<think></think>{% endif %}`,
  thinking: `{% if not thinking is defined %}{% set thinking = false %}{% endif %}${say}{{ '<think>' if thinking else '</think>' }}`,
  reasoning: `${say}{% if reasoning %}<think>{% endif %}`,
  // As gpt-oss and newer Mistrals have it.
  effort: `Reasoning: {{ reasoning_effort or 'medium' }}${say}`,
  effortOrNone: `{% if reasoning_effort not in ['none', 'high'] %}{{ raise_exception('No') }}{% endif %}${say}`,
  both: `${say}{{ reasoning_effort }}{% if not enable_thinking %}quick{% endif %}`,
  // A variable of its own, and a field of messages.
  own: `{% set thinking = true %}{% for m in messages %}{{ m.thinking or m.content }}{% endfor %}{{ thinking }}`,
  documents: `{% for d in documents or [] %}{{ d.text }}{% endfor %}${say}{{ custom }}`,
};
type Name = keyof typeof templates;

const templateOf = (name: Name) => createChatTemplate(folderOf({ chatTemplate: templates[name] }));
const variables = (name: Name, input: Partial<ChatRequestInput>, thinks = true) =>
  templateVariables(
    completeChatRequest({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...input }),
    { ...templateOf(name), thinks },
  );

describe('switches of templates', () => {
  it.each<[Name, string[]]>([
    ['plain', ['enableThinking', 'reasoningEffort']],
    ['enable_thinking', []],
    ['thinking', []],
    ['reasoning', []],
    ['effort', ['enableThinking']],
    ['effortOrNone', ['enableThinking']],
    ['both', []],
    ['own', ['enableThinking', 'reasoningEffort']],
  ])('%s lacks %j', (name, foreign) => {
    expect(foreignTemplateParameters(templateOf(name))).toEqual(foreign);
  });
});

it('the time is no switch', () => {
  let time = 0;
  const chatTemplate = `{{ strftime_now('%S') }}${say}`;
  const template = createChatTemplate(folderOf({ chatTemplate }), { now: () => new Date((time += 1000)) });
  expect(template.thinkingSwitch).toBeUndefined();
});

describe('variables', () => {
  it.each<[Name, Partial<ChatRequestInput>, object]>([
    ['plain', {}, {}],
    ['enable_thinking', { enableThinking: false }, { enable_thinking: false }],
    ['enable_thinking', { enableThinking: true }, { enable_thinking: true }],
    ['enable_thinking', { reasoningEffort: 'none' }, { enable_thinking: false }],
    ['enable_thinking', { reasoningEffort: 'low' }, { enable_thinking: true }],
    ['thinking', { enableThinking: true }, { thinking: true }],
    ['thinking', { reasoningEffort: 'none' }, { thinking: false }],
    ['reasoning', { enableThinking: false }, { reasoning: false }],
    ['effort', { reasoningEffort: 'high' }, { reasoning_effort: 'high' }],
    ['effortOrNone', { reasoningEffort: 'none' }, { reasoning_effort: 'none' }],
    ['both', { reasoningEffort: 'none' }, { enable_thinking: false }],
    ['both', { reasoningEffort: 'low' }, { enable_thinking: true, reasoning_effort: 'low' }],
    [
      'both',
      { enableThinking: true, reasoningEffort: 'low' },
      { enable_thinking: true, reasoning_effort: 'low' },
    ],
    ['enable_thinking', { chatTemplateKwargs: { enable_thinking: false } }, { enable_thinking: false }],
    ['documents', { documents: [{ text: 'x' }] }, { documents: [{ text: 'x' }] }],
    ['documents', { chatTemplateKwargs: { custom: { a: [1] } } }, { custom: { a: [1] } }],
    ['plain', { addGenerationPrompt: false }, { add_generation_prompt: false }],
    ['plain', { addGenerationPrompt: true }, {}],
  ])('%s with %j: %j', (name, input, expected) => {
    expect(variables(name, input)).toEqual(expected);
  });

  it.each<[Name, Partial<ChatRequestInput>, string]>([
    ['plain', { enableThinking: false }, 'enable_thinking'],
    ['plain', { reasoningEffort: 'none' }, 'reasoning_effort'],
    ['effort', { enableThinking: false }, 'enable_thinking'],
    ['effort', { reasoningEffort: 'none' }, 'reasoning_effort'],
    ['own', { enableThinking: false }, 'enable_thinking'],
    ['plain', { documents: [{ text: 'x' }] }, 'documents'],
    ['plain', { chatTemplateKwargs: { enable_thinking: false } }, 'chat_template_kwargs'],
    ['plain', { chatTemplateKwargs: { constructor: 1 } }, 'chat_template_kwargs'],
  ])('%s refuses %j', (name, input, param) => {
    expect(() => variables(name, input)).toThrow(
      expect.objectContaining({ code: 'unsupported_feature', param }),
    );
  });

  it.each<[Name, Partial<ChatRequestInput>, object]>([
    ['plain', { enableThinking: false }, {}],
    ['plain', { reasoningEffort: 'none' }, {}],
    ['plain', { reasoningEffort: 'none', enableThinking: false }, {}],
    ['effort', { reasoningEffort: 'none' }, {}],
    ['enable_thinking', { enableThinking: false }, { enable_thinking: false }],
  ])('%s of a model without thinking takes %j', (name, input, expected) => {
    expect(variables(name, input, false)).toEqual(expected);
  });

  it.each<[Partial<ChatRequestInput>, string]>([
    [{ enableThinking: true }, 'enable_thinking'],
    [{ reasoningEffort: 'low' }, 'reasoning_effort'],
  ])('a model without thinking refuses %j', (input, param) => {
    expect(() => variables('plain', input, false)).toThrow(
      expect.objectContaining({ code: 'unsupported_feature', param }),
    );
  });

  it.each(['messages', 'tools'])('refuses %s, which the request itself has', (name) => {
    const input = { chatTemplateKwargs: { [name]: [] } };
    expect(() => variables('plain', input)).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: 'chat_template_kwargs' }),
    );
  });
});
