import type { ChatEvent, ChatModelInfo } from '../../../../src/categories/chat/events.ts';
import { Validator, type Schema } from '@cfworker/json-schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChatRequest, ChatRequestInput } from '../../../../src/categories/chat/request.ts';
import { completeChatRequest } from '../../../../src/categories/chat/request.ts';
import { onnxSessions } from '../../../../src/backends/onnx/sessions.ts';
import { loadChatPipeline } from '../../../../src/categories/chat/pipeline/chat-pipeline.ts';
import type { Pipeline } from '../../../../src/contracts/category.ts';
import { someRows, runs } from '../../../thorough.ts';

let pipeline: Pipeline<ChatRequest, ChatEvent, ChatModelInfo>;

beforeAll(async () => {
  pipeline = await loadChatPipeline(
    {
      id: 'tiny-chat',
      category: 'chat',
      source: 'examples/models/tiny-chat',
      threads: 1,
    },
    onnxSessions,
  );
});

afterAll(() => pipeline.close());

async function ask(input: Omit<ChatRequestInput, 'model' | 'messages'> & Partial<ChatRequestInput>) {
  const messages = [{ role: 'user', content: 'Describe a red ball above a blue box.' }] as const;
  const answer = { text: '', calls: [] as { name: string; arguments: string }[], finishReason: '' };
  for await (const event of pipeline.run(
    completeChatRequest({ model: 'tiny-chat', messages, temperature: 1.5, ...input }),
  )) {
    if (event.type === 'text-delta') answer.text += event.text;
    else if (event.type === 'tool-call-start') answer.calls.push({ name: event.name, arguments: '' });
    else if (event.type === 'tool-call-delta') answer.calls.at(-1)!.arguments += event.arguments;
    else if (event.type === 'choice-end') answer.finishReason = event.finishReason;
  }
  return answer;
}

const word: Schema = { type: 'string', minLength: 1, maxLength: 12 };
const schemas: Schema[] = [
  {
    type: 'object',
    properties: { name: word, size: { type: 'integer', minimum: 1, maximum: 9 } },
    required: ['name'],
    additionalProperties: false,
  },
  { type: 'array', items: { enum: ['red', 'green', 'blue'] }, minItems: 1, maxItems: 5 },
  { anyOf: [{ type: 'number', minimum: -1, maximum: 1 }, { type: 'null' }, { type: 'boolean' }] },
  {
    type: 'object',
    properties: { when: { type: 'string', format: 'date-time' }, id: { type: 'string', format: 'uuid' } },
    required: ['when', 'id'],
    additionalProperties: false,
  },
  { type: 'array', prefixItems: [word, { type: 'integer' }], items: false, minItems: 2 },
];

test.each(schemas)('answers at temperature 1.5 are valid: %j', async (schema) => {
  const validator = new Validator(schema, '2020-12');
  const requests = Array.from({ length: runs(20) }, (_, seed) =>
    ask({ seed, maxTokens: 500, responseFormat: { type: 'json-schema', schema } }),
  );
  for (const { text, finishReason } of await Promise.all(requests)) {
    expect({ text, finishReason, ...validator.validate(JSON.parse(text)) }).toMatchObject({
      finishReason: 'stop',
      valid: true,
    });
  }
});

describe('calls', () => {
  const parameters = {
    type: 'object',
    properties: { city: word, unit: { enum: ['c', 'f'] } },
    required: ['city', 'unit'],
    additionalProperties: false,
  };
  const tools = [
    { name: 'get_weather', parameters },
    {
      name: 'add',
      parameters: {
        type: 'object',
        properties: { a: { type: 'integer' } },
        required: ['a'],
        additionalProperties: false,
      },
    },
  ];
  const validator = new Validator(parameters as Schema, '2020-12');

  test('calls of a named tool', async () => {
    const requests = Array.from({ length: runs(100) }, (_, seed) =>
      ask({ seed, maxTokens: 200, tools, toolChoice: { name: 'get_weather' } }),
    );
    for (const { text, calls, finishReason } of await Promise.all(requests)) {
      expect({ text, finishReason, names: calls.map(({ name }) => name) }).toEqual({
        text: '',
        finishReason: 'tool_calls',
        names: ['get_weather'],
      });
      expect(validator.validate(JSON.parse(calls[0]!.arguments)).valid).toBe(true);
    }
  });

  test.each([undefined, true, false])(
    'a required call, and several if told %s',
    async (parallelToolCalls) => {
      const requests = Array.from({ length: runs(20) }, (_, seed) =>
        ask({ seed, maxTokens: 300, tools, toolChoice: 'required', parallelToolCalls }),
      );
      const answers = await Promise.all(requests);
      for (const { text, calls } of answers) {
        expect(text).toBe('');
        expect(calls).not.toEqual([]);
      }
      const several = answers.filter(({ calls }) => calls.length > 1);
      if (!parallelToolCalls) expect(several).toEqual([]);
    },
  );
});

test('an answer that reaches its limit is complete', async () => {
  const schema: Schema = {
    type: 'object',
    properties: { text: { type: 'string' }, list: { type: 'array', items: { enum: ['red', 'green'] } } },
    required: ['text', 'list'],
  };
  const validator = new Validator(schema, '2020-12');
  const limits = someRows(Array.from({ length: 30 }, (_, index) => 30 + index));
  const answers = await Promise.all(
    limits.map((maxTokens) =>
      ask({ seed: maxTokens, maxTokens, responseFormat: { type: 'json-schema', schema } }),
    ),
  );
  for (const { text } of answers)
    expect({ text, ...validator.validate(JSON.parse(text)) }).toMatchObject({ valid: true });
  expect(answers.map(({ finishReason }) => finishReason)).toContain('length');
});

test('a call that reaches the limit is complete', async () => {
  const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  const tools = [{ name: 'write', parameters }];
  for (let seed = 0; seed < runs(10); seed++) {
    const { text, calls, finishReason } = await ask({ seed, maxTokens: 60, tools, toolChoice: 'required' });
    expect({ text, names: calls.map(({ name }) => name) }).toEqual({ text: '', names: ['write'] });
    expect(Object.keys(JSON.parse(calls[0]!.arguments) as object)).toEqual(['text']);
    expect(['length', 'tool_calls']).toContain(finishReason);
  }
});

const list =
  'root ::= item{1,3}\nitem ::= "- " color (" " shape)? "\\n"\ncolor ::= "red" | "blue"\nshape ::= [a-z]{3,6}';

test.each<[ChatRequestInput['responseFormat'], RegExp]>([
  [{ type: 'regex', regex: '[A-Z][a-z]{2,8}( [a-z]{1,8}){1,4}\\.' }, /^[A-Z][a-z]{2,8}( [a-z]{1,8}){1,4}\.$/],
  [{ type: 'choice', choices: ['above', 'below', 'below it'] }, /^(above|below|below it)$/],
  [{ type: 'grammar', grammar: list }, /^(- (red|blue)( [a-z]{3,6})?\n){1,3}$/],
])('%j is kept, by completions of texts too', async (responseFormat, expected) => {
  for (let seed = 0; seed < 8; seed++) {
    const raw = { messages: [], prompts: ['A red ball'] } as const;
    for (const input of [{}, raw]) {
      const { text, finishReason } = await ask({ responseFormat, maxTokens: 200, seed, ...input });
      expect(finishReason).toBe('stop');
      expect(text).toMatch(expected);
    }
  }
});

test('an answer with too little room for any document is the beginning of one', async () => {
  const { text, finishReason } = await ask({
    maxTokens: 3,
    responseFormat: { type: 'json-schema', schema: { type: 'string', minLength: 100 } },
  });
  expect(finishReason).toBe('length');
  expect(text).toMatch(/^"/);
});

test.each([
  [
    { responseFormat: { type: 'json-schema', schema: { type: 'string', pattern: '(?<=a)b' } } },
    'response_format',
    'response_format: schema.pattern: expected no look-around',
  ],
  [
    { responseFormat: { type: 'regex', regex: 'a(?<=b)' } },
    'response_format',
    'response_format: regex: expected no look-around',
  ],
  [
    { responseFormat: { type: 'grammar', grammar: 'root ::= "b"? root "a" | "c"' } },
    'response_format',
    'response_format: grammar: expected no left recursion',
  ],
  [
    { tools: [{ name: 'f', parameters: { type: 'object', not: {} } }], toolChoice: 'required' },
    'tools',
    'tools[0].parameters: expected a schema that some finite document matches',
  ],
] as const)('%j is refused', async (input, param, message) => {
  const failure = ask(input);
  await expect(failure).rejects.toMatchObject({ code: 'invalid_request', param });
  await expect(failure).rejects.toThrow(message);
});

test('a schema that cannot be honored is no obstacle where no call is demanded', async () => {
  const { finishReason } = await ask({
    seed: 1,
    temperature: 0,
    tools: [{ name: 'f', parameters: { type: 'object', not: {} } }],
  });
  expect(finishReason).not.toBe('length');
});

test('a strict tool with such a schema is refused', async () => {
  const strict = { name: 'f', strict: true, parameters: { type: 'object', not: {} } };
  await expect(ask({ tools: [strict] })).rejects.toMatchObject({ code: 'invalid_request', param: 'tools' });
});
