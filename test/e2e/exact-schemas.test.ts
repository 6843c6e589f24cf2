import { afterAll, beforeAll, expect, it } from 'vitest';
import { chat } from '../../dist/src/index.js';
import { serve, type RunningService } from './serve.ts';

// Bodies are texts here: objects of JavaScript would lose what these tests are about.
let service: RunningService;

beforeAll(async () => {
  service = await serve({ 'tiny-chat': chat({ source: 'tiny-chat' }) }, { auth: 'none' });
}, 120_000);

afterAll(() => service.close());

async function post(path: string, body: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${service.origin}/v1/${path}`, { method: 'POST', headers, body });
  expect(response.status).toBe(200);
  return response.text();
}

const user = '"messages":[{"role":"user","content":"Hi"}]';
const start = `"model":"tiny-chat","max_tokens":200,"temperature":0,${user}`;
const object = (properties: string, names: readonly string[]): string =>
  `{"type":"object","properties":{${properties}},"required":${JSON.stringify(names)},"additionalProperties":false}`;
const schema = object(
  '"reasoning":{"type":"string","maxLength":9},"1":{"type":"boolean"},"0":{"const":12345678901234567891}',
  ['reasoning', '1', '0'],
);
const shape =
  /^\{\s*"reasoning"\s*:\s*"[^"]*"\s*,\s*"1"\s*:\s*(true|false)\s*,\s*"0"\s*:\s*12345678901234567891\s*\}$/;

it.each([
  [
    'response_format',
    `"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":${schema}}}`,
  ],
  ['guided_json as text', `"guided_json":${JSON.stringify(schema)}`],
  ['a body that is parsed in a thread', `"guided_json":${schema},"user":"${'x'.repeat(2 ** 20)}"`],
])('an answer has the digits and the order of the schema: %s', async (_name, field) => {
  const answer = JSON.parse(await post('chat/completions', `{${start},${field}}`));
  expect(answer.choices[0].message.content).toMatch(shape);
});

it('a prompt shows the schema of a tool as it was sent', async () => {
  const parameters = object('"z":{"minimum":1.0},"1":{"maximum":12345678901234567891}', []);
  const tool = `{"type":"function","function":{"name":"f","parameters":${parameters}}}`;
  const body = `{"model":"tiny-chat",${user},"tools":[${tool}],"return_token_strs":true}`;
  const { token_strs: tokens } = JSON.parse(await post('tokenize', body));
  const shown = tokens.join('').replaceAll('Ġ', '');
  expect(shown).toContain('"properties":{"z":{"minimum":1.0},"1":{"maximum":12345678901234567891}}');
});

it('arguments keep their digits in each dialect, on the way out and back', async () => {
  const parameters = object('"id":{"const":12345678901234567891}', ['id']);
  const call = `{"name":"f","input_schema":${parameters}}`;
  const text = await post('messages', `{${start},"tools":[${call}],"tool_choice":{"type":"any"}}`);
  expect(text).toContain('"input":{"id":12345678901234567891}');
  const use = '{"type":"tool_use","id":"a","name":"f","input":{"id":12345678901234567891}}';
  const result = '{"type":"tool_result","tool_use_id":"a","content":"ok"}';
  const turns = `[{"role":"user","content":"Hi"},{"role":"assistant","content":[${use}]},{"role":"user","content":[${result}]}]`;
  const count = async (digits: string) =>
    JSON.parse(
      await post(
        'messages/count_tokens',
        `{"model":"tiny-chat","messages":${turns.replace('12345678901234567891', digits)},"tools":[${call}]}`,
      ),
    ).input_tokens as number;
  expect(await count('12345678901234567891')).toBe(await count('98765432109876543219'));
  expect(await count('12345678901234567891')).toBeGreaterThan(await count('1'));
});
