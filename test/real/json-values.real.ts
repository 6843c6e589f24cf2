import { expect, it } from 'vitest';
import { describeChatModels } from './chat-models.ts';

/** A question for a field of a schema, and the text of the value in the answer. */
const values: readonly (readonly [content: string, field: string, schema: object, value: string])[] = [
  [
    'The timestamp is 1700000000000000. Give it as JSON: {"timestamp": 1700000000000000}',
    'timestamp',
    { type: 'integer' },
    '1700000000000000',
  ],
  ...['1234567890123456789', '18446744073709551615', '9007199254740993', '1859234567123456781'].map(
    (id) => [`The tweet id is ${id}. Give it as JSON: {"id": ${id}}`, 'id', { type: 'integer' }, id] as const,
  ),
  ['The value is 1e100. Repeat this JSON: {"value": 1e100}', 'value', { type: 'number' }, '1e100'],
  ['Repeat exactly: { "a" : 1 }', 'a', { type: 'integer' }, '1'],
];

describeChatModels((ask) => {
  it.each(values)('copies the number: %s', async (content, field, schema, value) => {
    const document = {
      type: 'object',
      properties: { [field]: schema },
      required: [field],
      additionalProperties: false,
    };
    const { text, finishReason } = await ask({
      messages: [{ role: 'user', content }],
      temperature: 0,
      maxTokens: 64,
      responseFormat: { type: 'json-schema', schema: document },
    });
    expect({ text: text.replaceAll(/\s/g, ''), finishReason }).toEqual({
      text: `{"${field}":${value}}`,
      finishReason: 'stop',
    });
  });

  it('calls a tool without parameters with none', async () => {
    const ping = { name: 'ping', description: 'Ping the server.' };
    for (let seed = 0; seed < 10; seed++) {
      const messages = [{ role: 'user', content: 'Ping the server.' }] as const;
      const { calls } = await ask({ messages, tools: [ping], toolChoice: 'required', seed, maxTokens: 64 });
      expect(calls.map((call) => JSON.parse(call.arguments))).toEqual([{}]);
    }
  });
});
