import { expect, test } from 'vitest';
import { answerConstraint } from '../../../../../src/categories/chat/pipeline/choice/answer-constraint.ts';
import { completeChatRequest } from '../../../../../src/categories/chat/request.ts';
import { thinkFormat } from '../../../../../src/core/chat/reasoning-formats.ts';
import { hermesFormat } from '../../../../../src/core/chat/tool-calls/rows.ts';

const tools = [{ name: 'one' }, { name: 'two' }];

test.each([
  ['auto', undefined, 'optional', true],
  ['auto', false, 'optional', false],
  ['required', undefined, 'required', false],
  ['required', true, 'required', true],
  ['required', false, 'required', false],
  [{ name: 'two' }, true, 'once', false],
] as const)('%j, several calls %j: %s, %j', (toolChoice, parallelToolCalls, choice, parallel) => {
  const messages = [{ role: 'user', content: 'Hi' }] as const;
  const request = completeChatRequest({ model: 'm', messages, tools, toolChoice, parallelToolCalls });
  const formats = { toolCalls: hermesFormat, reasoning: thinkFormat };
  const setting = { tools, prompt: '', formats, thinks: false, opensObjects: true };
  expect(answerConstraint(request, setting)).toMatchObject({
    calls: { choice, parallel },
    opensObjects: true,
  });
});
