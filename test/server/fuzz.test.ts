import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createHandler } from '../../src/create-handler.ts';
import { chatRequestSchema } from '../../src/categories/chat/wire/chat/schema.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import { chatBody, expectError, send } from './support.ts';
import { runs } from '../thorough.ts';

const handler = createHandler(createFakeInference({ reply: 'ok' }), { auth: 'none', onError: () => {} });

async function expectAnswer(parsed: unknown): Promise<void> {
  const answer = await send(handler, { method: 'POST', body: { parsed } });
  if (answer.status === 200) return;
  expect([400, 404]).toContain(answer.status);
  expectError(answer, answer.status, answer.json.error.code, answer.json.error.param);
}

it('answers any JSON with 200 or an error of the client', async () => {
  await fc.assert(fc.asyncProperty(fc.jsonValue(), expectAnswer), { numRuns: runs(200) });
});

it('answers any value of any field with 200 or an error of the client', async () => {
  const fields = fc.constantFrom(
    ...Object.keys(chatRequestSchema.shape),
    'response_format',
    'modalities',
    'user',
  );
  const bodies = fc.tuple(fields, fc.jsonValue()).map(([field, value]) => chatBody({ [field]: value }));
  await fc.assert(fc.asyncProperty(bodies, expectAnswer), { numRuns: runs(1000) });
});

it('answers any message and tool', async () => {
  const loose = (...names: string[]) =>
    fc.record(Object.fromEntries(names.map((name) => [name, fc.jsonValue()])), { requiredKeys: [] });
  const role = fc.constantFrom('system', 'user', 'assistant', 'tool');
  const message = fc
    .tuple(role, loose('content', 'tool_calls', 'tool_call_id', 'name', 'reasoning_content'))
    .map(([given, rest]) => ({ role: given, ...rest }));
  const tool = loose('name', 'description', 'parameters').map((rest) => ({
    type: 'function',
    function: rest,
  }));
  const bodies = fc.record({
    model: fc.constant('fake-chat'),
    messages: fc.array(message, { maxLength: 3 }),
    tools: fc.array(tool, { maxLength: 2 }),
  });
  await fc.assert(fc.asyncProperty(bodies, expectAnswer), { numRuns: runs(500) });
});

it('answers any URL and header', async () => {
  const sent = fc.record({
    method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'OPTIONS', ''),
    url: fc.oneof(
      fc.webPath(),
      fc.string().map((text) => `/v1/models/${text}`),
      fc.string(),
    ),
    mountPath: fc.option(fc.oneof(fc.constant('/v1'), fc.string()), { nil: undefined }),
    headers: fc.dictionary(
      fc.constantFrom(
        'content-type',
        'authorization',
        'x-request-id',
        'x-stainless-timeout',
        'content-length',
      ),
      fc.oneof(fc.string(), fc.array(fc.string())),
    ),
  });
  await fc.assert(
    fc.asyncProperty(sent, async (request) => {
      const { status } = await send(handler, request);
      expect(status).toBeLessThan(500);
    }),
    { numRuns: runs(500) },
  );
});
