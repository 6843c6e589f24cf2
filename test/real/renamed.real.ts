import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadPipeline } from '../../src/loading/load-pipeline.ts';
import type { ChatEvent } from '../../src/categories/chat/events.ts';
import { completeChatRequest, type ChatRequest } from '../../src/categories/chat/request.ts';
import { toChatCompletion } from '../../src/categories/chat/wire/chat/print.ts';
import type { Pipeline } from '../../src/contracts/category.ts';

const models = process.env['SLASHV1_REAL_MODELS'] ?? '';
const parameters = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string', maxLength: 24 }])),
  required: names,
  additionalProperties: false,
});
const tools = [
  { name: 'get_weather', description: 'Get the weather of a city.', parameters: parameters('city') },
  { name: 'send_mail', description: 'Send an e-mail.', parameters: parameters('to', 'subject') },
  { name: 'get_time', description: 'Get the time in a time zone.', parameters: parameters('zone') },
];
const questions = [
  'What is the weather in Paris?',
  'Is it raining in Oslo right now?',
  'Send a mail to anna@example.com about the meeting.',
  'What time is it in Tokyo?',
  'How warm is it in Cairo?',
];

/** ChatML whose calls stand between tags of this name. */
const template = (tag: string): string =>
  `<|im_start|>system
You can call functions:{% for t in tools or [] %}
{{ t.function | tojson }}{% endfor %}
Call one as <${tag}>{"name": "the name", "arguments": {"parameter": "value"}}</${tag}>.<|im_end|>
{% for m in messages %}<|im_start|>{{ m.role }}
{{ m.content or '' }}{% for c in m.tool_calls or [] %}<${tag}>{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}</${tag}>{% endfor %}<|im_end|>
{% endfor %}<|im_start|>assistant
`;

it('SmolLM2 calls functions in marks that nobody has listed', { timeout: 600_000 }, async () => {
  const calls: Record<string, string[]> = {};
  for (const tag of ['tool_call', 'loot_llac']) {
    const pipeline: Pipeline<ChatRequest, ChatEvent> = await loadPipeline({
      id: 'smollm2',
      category: 'chat',
      source: join(models, 'smollm2-q4'),
      dtype: 'q4',
      chatTemplate: template(tag),
    });
    calls[tag] = [];
    for (const toolChoice of ['required', 'auto'] as const) {
      for (const content of questions) {
        const request = completeChatRequest({
          model: 'smollm2',
          messages: [{ role: 'user', content }],
          tools,
          toolChoice,
          temperature: 0,
          maxTokens: 120,
        });
        const events: ChatEvent[] = [];
        for await (const event of pipeline.run(request)) events.push(event);
        const { message } = toChatCompletion(events, { id: 'x', created: 0, model: 'smollm2' }).choices[0]!;
        const names = (message.tool_calls ?? []).map(
          ({ function: call }) => `${call.name} ${call.arguments}`,
        );
        calls[tag].push(names.join('; '));
        if (toolChoice === 'required') expect(names).toHaveLength(1);
      }
    }
    await pipeline.close();
  }
  console.log(JSON.stringify(calls, undefined, 1));
  // The words of a call may differ under another prompt; that it is one may not.
  for (const tag of Object.keys(calls))
    expect(calls[tag]!.filter((call) => call !== '').length).toBeGreaterThanOrEqual(5);
});
