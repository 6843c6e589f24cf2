import { expect, it } from 'vitest';
import { createHandler } from '../../src/create-handler.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import { chatBody, send } from './support.ts';

const models = ['chat', 'embedding', 'image', 'speech'].map(
  (category) => ({ id: `fake-${category}`, category }) as never,
);
const handler = createHandler(createFakeInference({ models }), { auth: 'none' });
const { json: document } = await send(handler, { url: '/v1/openapi.json' });
const schemaAt = (path: string): any => {
  const { $ref } = document.paths[path].post.requestBody.content['application/json'].schema;
  return document.components.schemas[$ref.split('/').at(-1)];
};

interface Rule {
  readonly anyOf: readonly [
    { readonly not: { readonly required: readonly string[] } },
    { readonly properties: object; readonly required: readonly string[] },
  ];
}

/** A body that breaks a rule, and what the rule says to keep it. */
const rows: [path: string, field: string, body: object, kept: object][] = [
  ['/chat/completions', 'stream_options', chatBody({ stream_options: {} }), { stream: { const: true } }],
  [
    '/completions',
    'stream_options',
    { model: 'fake-chat', prompt: 'Hi', stream_options: {} },
    { stream: { const: true } },
  ],
  [
    '/images/generations',
    'stream_options',
    { prompt: 'Hi', stream_options: {} },
    { stream: { const: true } },
  ],
  ['/images/generations', 'partial_images', { prompt: 'Hi', partial_images: 1 }, { stream: { const: true } }],
  [
    '/audio/speech',
    'timestamp_granularities',
    { input: 'Hi', timestamp_granularities: ['word'] },
    { stream_format: { enum: ['sse', 'json'] } },
  ],
];

it.each(rows)('%s: %s needs what the document says', async (path, field, body, kept) => {
  const rules: Rule[] = schemaAt(path).allOf;
  const rule = rules.find(({ anyOf: [{ not }] }) => not.required.includes(field))!;
  expect(rule.anyOf[1]).toEqual({ properties: kept, required: Object.keys(kept) });
  const refused = await send(handler, { url: `/v1${path}`, json: body });
  expect([refused.status, refused.json?.error?.param]).toEqual([400, field]);
  const value = (schema: any): unknown => schema.const ?? schema.enum[0];
  const more = Object.fromEntries(Object.entries(kept).map(([name, schema]) => [name, value(schema)]));
  expect((await send(handler, { url: `/v1${path}`, json: { ...body, ...more } })).status).toBe(200);
});

it.each([
  ['/tokenize', { model: 'fake-chat' }, 'prompt'],
  ['/tokenize', { model: 'fake-chat', prompt: 'a', content: 'b' }, 'content'],
])('%s: %j breaks the rule that one of three fields is there', async (path, body, param) => {
  const [{ oneOf }] = schemaAt(path).allOf;
  expect(oneOf.map(({ required }: { required: string[] }) => required[0])).toEqual([
    'prompt',
    'content',
    'messages',
  ]);
  const given = oneOf.filter(({ required }: { required: string[] }) =>
    required.every((name) => name in body),
  );
  expect(given).not.toHaveLength(1);
  expect((await send(handler, { url: `/v1${path}`, json: body })).json.error.param).toBe(param);
});

it('bounds what a schema of one field can bound', () => {
  const { input } = schemaAt('/embeddings').properties;
  expect(input.anyOf[2].items).toEqual({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
  const size = JSON.stringify(schemaAt('/images/generations').properties.size);
  expect(size).toContain('^(?:auto|');
  const [, , assistant] = schemaAt('/chat/completions').properties.messages.items.oneOf;
  expect(assistant.allOf[0].anyOf.map((one: { required: string[] }) => one.required[0])).toEqual([
    'content',
    'refusal',
    'tool_calls',
  ]);
});
