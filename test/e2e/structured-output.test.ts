import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Validator, type Schema } from '@cfworker/json-schema';
import { jsonSchema, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { zodFunction, zodResponseFormat, zodResponsesFunction, zodTextFormat } from 'openai/helpers/zod';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { chat } from '../../dist/src/index.js';
import { isThorough, runs, someRows } from '../thorough.ts';
import { serve, type RunningService } from './serve.ts';

// What a client asks for is what it gets, from a model that knows nothing of it and at a temperature that makes it stray.
let service: RunningService;
let baseURL: string;
let client: OpenAI;

beforeAll(async () => {
  service = await serve({ 'tiny-chat': chat({ source: 'tiny-chat', maxQueue: 200 }) }, { auth: 'none' });
  baseURL = `${service.origin}/v1`;
  client = new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 });
}, 120_000);

afterAll(() => service.close());

const schemas: Schema[] = [
  {
    type: 'object',
    properties: { color: { enum: ['red', 'blue'] }, size: { type: 'integer', minimum: 1, maximum: 9 } },
    required: ['color', 'size'],
    additionalProperties: false,
  },
  {
    type: 'object',
    properties: { name: { type: 'string', maxLength: 20 }, isRound: { type: 'boolean' } },
    required: ['name', 'isRound'],
    additionalProperties: false,
  },
  { type: 'array', items: { enum: ['circle', 'square', 'star'] }, minItems: 1, maxItems: 4 },
  {
    type: 'object',
    properties: {
      shapes: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            shape: { type: 'string', maxLength: 10 },
            count: { type: 'integer', minimum: 0, maximum: 99 },
          },
          required: ['shape', 'count'],
          additionalProperties: false,
        },
        minItems: 1,
        maxItems: 3,
      },
    },
    required: ['shapes'],
    additionalProperties: false,
  },
  {
    type: 'object',
    properties: { answer: { anyOf: [{ type: 'null' }, { type: 'boolean' }, { const: 'maybe' }] } },
    required: ['answer'],
    additionalProperties: false,
  },
  {
    type: 'object',
    properties: { code: { type: 'string', pattern: '^[A-Z]{2}-[0-9]{3}$' } },
    required: ['code'],
    additionalProperties: false,
  },
  {
    $defs: {
      shape: {
        type: 'object',
        properties: { color: { enum: ['red', 'green'] }, shape: { enum: ['star', 'cross'] } },
        required: ['color', 'shape'],
        additionalProperties: false,
      },
    },
    type: 'object',
    properties: { above: { $ref: '#/$defs/shape' }, below: { $ref: '#/$defs/shape' } },
    required: ['above', 'below'],
    additionalProperties: false,
  },
  { type: 'string', enum: ['above', 'below', 'to the left of', 'to the right of'] },
  { type: 'integer', minimum: -5, maximum: 120 },
  {
    type: 'object',
    properties: { date: { type: 'string', format: 'date' } },
    required: ['date'],
    additionalProperties: false,
  },
];

describe('response_format json_schema', () => {
  it.each(someRows([...schemas.entries()], 2))(
    'gives valid documents of schema %i at temperature 1.5',
    async (at, schema) => {
      const outcomes = await Promise.all(
        Array.from({ length: isThorough ? 10 : 2 }, async (_, index) => {
          const completion = await client.chat.completions.create({
            model: 'tiny-chat',
            messages: [{ role: 'user', content: 'Describe a scene with two shapes.' }],
            response_format: {
              type: 'json_schema',
              json_schema: { name: 'answer', strict: true, schema: { ...schema } },
            },
            temperature: 1.5,
            max_tokens: 2000,
            seed: 10 * at + index,
          });
          const [choice] = completion.choices;
          if (choice?.finish_reason !== 'stop') return `${choice?.finish_reason}: ${choice?.message.content}`;
          const { valid } = new Validator(schema).validate(JSON.parse(choice.message.content ?? ''));
          return valid || `${JSON.stringify(schema)}: ${choice.message.content}`;
        }),
      );
      expect(outcomes.filter((outcome) => outcome !== true)).toEqual([]);
    },
    120_000,
  );

  it('gives a JSON object for json_object, or the beginning of one where the tokens ran out', async () => {
    const reasons = await Promise.all(
      Array.from({ length: 8 }, async (_, seed) => {
        const { choices } = await client.chat.completions.create({
          model: 'tiny-chat',
          messages: [{ role: 'user', content: 'What is 2 + 3?' }],
          response_format: { type: 'json_object' },
          temperature: 2,
          min_p: 0,
          max_tokens: 300,
          seed,
        } as OpenAI.ChatCompletionCreateParamsNonStreaming);
        const { finish_reason: reason, message } = choices[0]!;
        expect(message.content).toMatch(/^\s*\{/);
        if (reason === 'stop') expect(JSON.parse(message.content!)).toBeTypeOf('object');
        return reason;
      }),
    );
    expect(reasons).toContain('stop');
  }, 120_000);

  it('gives what zod parses, by responses.parse and responses.stream', async () => {
    const shape = z.object({ color: z.enum(['red', 'blue']), size: z.number().int().min(1).max(9) });
    const request = {
      model: 'tiny-chat',
      input: 'Describe a scene with two shapes.',
      temperature: 1.5,
      max_output_tokens: 2000,
      text: { format: zodTextFormat(shape, 'shape') },
    };
    for (let index = 0; index < runs(5); index++) {
      const { output_parsed } = await client.responses.parse(request);
      expect(shape.parse(output_parsed)).toEqual(output_parsed);
    }
    const { output_parsed } = await client.responses.stream(request).finalResponse();
    expect(shape.parse(output_parsed)).toEqual(output_parsed);
  }, 120_000);

  it('gives calls that zod parses, by responses.parse', async () => {
    const parameters = z.object({ city: z.string().max(20), unit: z.enum(['celsius', 'kelvin']) });
    const weather = zodResponsesFunction({ name: 'get_weather', parameters });
    const { output } = await client.responses.parse({
      model: 'tiny-chat',
      input: 'What is the weather in Paris?',
      tools: [weather],
      tool_choice: 'required',
      temperature: 1.5,
      max_output_tokens: 2000,
    });
    const calls = output.filter((item) => item.type === 'function_call');
    expect(calls.length).toBeGreaterThan(0);
    for (const { parsed_arguments } of calls)
      expect(parameters.parse(parsed_arguments)).toEqual(parsed_arguments);
  }, 120_000);

  it('gives an answer and calls that zod parses, by chat.completions.parse', async () => {
    const shape = z.object({ color: z.enum(['red', 'blue']), size: z.number().int().min(1).max(9) });
    const parameters = z.object({ city: z.string().max(20) });
    const ask = (request: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>) =>
      client.chat.completions.parse({
        model: 'tiny-chat',
        messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
        temperature: 1.5,
        max_tokens: 2000,
        ...request,
      });
    const answer = await ask({ response_format: zodResponseFormat(shape, 'shape') });
    shape.parse(answer.choices[0]!.message.parsed);
    const tools = [zodFunction({ name: 'get_weather', parameters })];
    const calling = await ask({ tools, tool_choice: 'required' });
    const [call] = calling.choices[0]!.message.tool_calls!;
    parameters.parse(call?.type === 'function' ? call.function.parsed_arguments : undefined);
  }, 120_000);

  it('names the keyword of a schema that cannot be honored', async () => {
    const schema = { type: 'object', properties: { a: { not: { uniqueItems: true } } } };
    const request = client.chat.completions.create({
      model: 'tiny-chat',
      messages: [{ role: 'user', content: 'Hello' }],
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
    });
    await expect(request).rejects.toMatchObject({
      status: 400,
      param: expect.stringMatching(/^response_format/),
      message: expect.stringContaining('not'),
    });
  });
});

const parameters = {
  type: 'object',
  properties: {
    city: { type: 'string', maxLength: 30 },
    days: { type: 'integer', minimum: 1, maximum: 14 },
    unit: { enum: ['celsius', 'fahrenheit'] },
  },
  required: ['city', 'days', 'unit'],
  additionalProperties: false,
} as const;
const tools = ['get_forecast', 'get_weather', 'get_time'].map((name) => ({
  type: 'function' as const,
  function: { name, parameters },
}));

describe('tool_choice', () => {
  it.each(tools)(
    'a named function: calls of it with valid arguments at temperature 1.5, %#',
    async (wanted) => {
      const validator = new Validator({ ...parameters } as unknown as Schema);
      const outcomes = await Promise.all(
        Array.from({ length: runs(33) }, async (_, index) => {
          const { choices } = await client.chat.completions.create({
            model: 'tiny-chat',
            messages: [{ role: 'user', content: 'Hello there' }],
            tools,
            tool_choice: { type: 'function', function: { name: wanted.function.name } },
            temperature: 1.5,
            max_tokens: 500,
            seed: index,
          });
          const [choice] = choices;
          const calls = choice!.message.tool_calls ?? [];
          const names = calls.map((call) => (call.type === 'function' ? call.function.name : ''));
          const text = calls[0]?.type === 'function' ? calls[0].function.arguments : '';
          const isRight = names.join() === wanted.function.name && choice!.finish_reason === 'tool_calls';
          return (isRight && validator.validate(JSON.parse(text)).valid) || JSON.stringify(choice);
        }),
      );
      expect(outcomes.filter((outcome) => outcome !== true)).toEqual([]);
    },
    120_000,
  );

  it('required: at least one call, streamed through the openai package', async () => {
    const completions = Array.from({ length: runs(10) }, (_, seed) =>
      client.chat.completions
        .stream({
          model: 'tiny-chat',
          messages: [{ role: 'user', content: 'Good morning' }],
          tools,
          tool_choice: 'required',
          parallel_tool_calls: false,
          temperature: 1.5,
          max_tokens: 500,
          seed,
        })
        .finalChatCompletion(),
    );
    for (const { choices } of await Promise.all(completions)) {
      expect(choices[0]!.finish_reason).toBe('tool_calls');
      expect(choices[0]!.message.tool_calls).toHaveLength(1);
    }
  }, 120_000);

  it('streams through the AI SDK without a warning', async () => {
    const warn = vi.spyOn(console, 'warn');
    const provider = createOpenAICompatible({ name: 'slashv1', baseURL, apiKey: 'none' });
    const result = streamText({
      model: provider('tiny-chat'),
      prompt: 'Hello there',
      tools: { get_forecast: tool({ inputSchema: jsonSchema({ ...parameters } as never) }) },
      toolChoice: { type: 'tool', toolName: 'get_forecast' },
      temperature: 1.5,
      seed: 1,
      maxRetries: 0,
    });
    const parts = [];
    for await (const part of result.fullStream) parts.push(part);
    expect(parts.filter(({ type }) => type === 'error')).toEqual([]);
    const [call] = await result.toolCalls;
    expect(call).toMatchObject({ toolName: 'get_forecast', input: { days: expect.any(Number) } });
    expect(await result.finishReason).toBe('tool-calls');
    expect(await result.warnings).toEqual([]);
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  }, 120_000);
});
