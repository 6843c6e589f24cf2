import { describe, expect, it } from 'vitest';
import { completeChatRequest, type ChatRequestInput } from '../../../src/categories/chat/request.ts';

const complete = (changes: Partial<ChatRequestInput>) =>
  completeChatRequest({ model: 'm', messages: [{ role: 'user', content: 'Hello' }], ...changes });
const deep = JSON.parse(`${'{"a":'.repeat(1000)}{}${'}'.repeat(1000)}`) as Record<string, unknown>;
const begun: Partial<ChatRequestInput> = {
  continueFinalMessage: true,
  messages: [{ role: 'assistant', content: 'Hel' }],
};

describe('completeChatRequest', () => {
  it('gives every setting its default', () => {
    expect(complete({})).toMatchObject({
      tools: [],
      toolChoice: 'auto',
      parallelToolCalls: undefined,
      responseFormat: { type: 'text' },
      stop: [],
    });
  });

  it.each<[string, Partial<ChatRequestInput>]>([
    ['messages', { messages: [] }],
    ['messages[0].tool_call_id', { messages: [{ role: 'tool', content: '', toolCallId: 'a' }] }],
    ['stop', { stop: ['a', 'b', 'c', 'd', 'e'] }],
    ['stop', { stop: '' }],
    ['logit_bias', { logitBias: new Map([[1, 101]]) }],
    ['logit_bias', { logitBias: new Map([[-1, 1]]) }],
    ['top_p', { topP: 1.1 }],
    ['max_tokens', { maxTokens: 0 }],
    ['top_logprobs', { topLogprobs: 1 }],
    ['tool_choice', { toolChoice: 'required' }],
    ['tool_choice', { tools: [{ name: 'a' }], toolChoice: { name: 'b' } }],
    ['tools[0].function.parameters', { tools: [{ name: 'a', parameters: deep }] }],
    ['documents', { documents: [deep] }],
    ['chat_template_kwargs', { chatTemplateKwargs: deep }],
    ['reasoning_effort', { reasoningEffort: 'lots' }],
    ['reasoning_effort', { reasoningEffort: 'none', enableThinking: true }],
    ['reasoning_effort', { reasoningEffort: 'high', enableThinking: false }],
    ['truncate_prompt_tokens', { truncatePromptTokens: -2 }],
    ['continue_final_message', { continueFinalMessage: true }],
    ['continue_final_message', { ...begun, addGenerationPrompt: true }],
    ['continue_final_message', { ...begun, responseFormat: { type: 'json-object' } }],
    ['continue_final_message', { ...begun, tools: [{ name: 'a' }], toolChoice: 'required' }],
    ['continue_final_message', { ...begun, messages: [{ role: 'assistant', content: null }] }],
    ['prompt', { messages: [], prompts: Array.from({ length: 129 }, () => 'a') }],
    ['messages', { prompts: ['a'] }],
    ['tools', { messages: [], prompts: ['a'], tools: [{ name: 'a' }] }],
    ['responseFormat.choices', { responseFormat: { type: 'choice', choices: [] } }],
    ['response_format', { responseFormat: { type: 'choice', choices: Array<string>(30_000).fill('a') } }],
    ['enable_thinking', { messages: [], prompts: ['a'], enableThinking: true }],
    ['suffix', { suffix: 'a' }],
    ['suffix', { messages: [], prompts: ['a'], suffix: 'a', echo: 'text' }],
    ['truncate_prompt_tokens', { messages: [], prompts: ['a'], suffix: 'a', truncatePromptTokens: 2 }],
    ['echo', { echo: 'logprobs' }],
    ['response_format.json_schema.schema', { responseFormat: { type: 'json-schema', schema: deep } }],
    ['responseFormat.schemaText', { responseFormat: { type: 'json-schema', schema: {}, schemaText: '{' } }],
    ['tools[0].parametersText', { tools: [{ name: 'f', parametersText: '{' }] }],
  ])('names %s when it is at fault', (param, changes) => {
    expect(() => complete(changes)).toThrow(expect.objectContaining({ code: 'invalid_request', param }));
  });
});
