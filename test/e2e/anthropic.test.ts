import Anthropic, { BadRequestError, NotFoundError } from '@anthropic-ai/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chat } from '../../dist/src/index.js';
import { serve, type RunningService } from './serve.ts';

// The package as its makers publish it: only the base URL and the key are changed.
let service: RunningService;
let client: Anthropic;
beforeAll(async () => {
  service = await serve({ 'tiny-chat': chat({ source: 'tiny-chat' }) }, { auth: { keys: ['key'] } });
  client = new Anthropic({ baseURL: service.origin, apiKey: 'key', maxRetries: 0 });
}, 60_000);
afterAll(() => service.close());

const asked = { model: 'tiny-chat', max_tokens: 80, temperature: 0 };
const sum: Anthropic.MessageParam[] = [{ role: 'user', content: 'What is 2 + 3?' }];
const weather: Anthropic.MessageParam[] = [{ role: 'user', content: 'What is the weather in Paris?' }];
const tools: Anthropic.Tool[] = [
  {
    name: 'get_weather',
    description: 'Weather of a city',
    input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
];

function textOf({ content }: Anthropic.Message): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

it('answers at once', async () => {
  const message = await client.messages.create({ ...asked, messages: sum });
  expect(textOf(message)).toContain('5');
  expect(message).toMatchObject({ role: 'assistant', model: 'tiny-chat', stop_reason: 'end_turn' });
  expect(message.usage.output_tokens).toBeGreaterThan(0);
});

it('streams the same', async () => {
  const whole = await client.messages.create({ ...asked, messages: sum });
  const stream = client.messages.stream({ ...asked, messages: sum });
  let text = '';
  stream.on('text', (delta) => (text += delta));
  const message = await stream.finalMessage();
  expect(message.content).toEqual(whole.content);
  expect(text).toBe(textOf(whole));
  const { input_tokens, cache_read_input_tokens } = message.usage;
  expect(input_tokens + cache_read_input_tokens!).toBe(
    whole.usage.input_tokens + whole.usage.cache_read_input_tokens!,
  );
});

it.each([false, true])('calls a tool and answers by its result; streamed: %s', async (isStream) => {
  const ask = (messages: Anthropic.MessageParam[]): Promise<Anthropic.Message> => {
    const body = { ...asked, tools, messages };
    return isStream ? client.messages.stream(body).finalMessage() : client.messages.create(body);
  };
  const first = await ask(weather);
  expect(first.stop_reason).toBe('tool_use');
  const call = first.content.find((block) => block.type === 'tool_use');
  expect(call).toMatchObject({ name: 'get_weather', input: { city: 'Paris' } });
  const result = '{"temperature": 21, "condition": "sunny"}';
  const second = await ask([
    ...weather,
    { role: 'assistant', content: first.content as Anthropic.ContentBlockParam[] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: call!.id, content: result }] },
  ]);
  expect(second.stop_reason).toBe('end_turn');
  expect(textOf(second)).toContain('21');
});

it('ends at a stop sequence and at the limit', async () => {
  const stopped = await client.messages.create({
    ...asked,
    messages: [{ role: 'user', content: 'Describe a scene with two shapes.' }],
    stop_sequences: [' right'],
  });
  expect(stopped).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: ' right' });
  const cut = await client.messages.create({ ...asked, max_tokens: 2, messages: sum });
  expect(cut).toMatchObject({ stop_reason: 'max_tokens', stop_sequence: null });
});

it('fails as the package expects', async () => {
  const missing = client.messages.create({ ...asked, model: 'another', messages: sum });
  await expect(missing).rejects.toBeInstanceOf(NotFoundError);
  const bad = client.messages.create({ ...asked, max_tokens: 0, messages: sum });
  await expect(bad).rejects.toBeInstanceOf(BadRequestError);
});

it('stops when the client leaves', async () => {
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Describe a scene with two shapes.' }];
  const stream = client.messages.stream({ ...asked, max_tokens: 200, messages });
  stream.on('text', () => stream.abort());
  await expect(stream.done()).rejects.toBeInstanceOf(Anthropic.APIUserAbortError);
  await expect.poll(() => service.inference.status().map(({ running }) => running)).toEqual([0]);
});
