import { Validator, type Schema } from '@cfworker/json-schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChatEvent, ChatModelInfo } from '../../../../src/categories/chat/events.ts';
import { onnxSessions } from '../../../../src/backends/onnx/sessions.ts';
import { loadChatPipeline } from '../../../../src/categories/chat/pipeline/chat-pipeline.ts';
import {
  completeChatRequest,
  type ChatRequest,
  type ChatRequestInput,
} from '../../../../src/categories/chat/request.ts';
import { createChunker } from '../../../../src/categories/chat/wire/chat/print-chunks.ts';
import { toChatCompletion } from '../../../../src/categories/chat/wire/chat/print.ts';
import type { Pipeline } from '../../../../src/contracts/category.ts';
import { knownFormat } from '../../../core/chat/tool-calls/known-formats.ts';
import { someRows } from '../../../thorough.ts';

// The model knows none of these formats: what it writes is right since the grammar lets nothing else through.
const parameters = {
  type: 'object',
  properties: {
    city: { type: 'string', minLength: 1, maxLength: 8 },
    unit: { enum: ['c', 'f'] },
    days: { type: 'integer', minimum: 1, maximum: 7 },
    at: { type: 'array', items: { type: 'number', minimum: 0, maximum: 9 }, minItems: 2, maxItems: 2 },
    hourly: { type: ['boolean', 'null'] },
  },
  required: ['city', 'unit', 'at', 'hourly'],
  additionalProperties: false,
};
const tools = [
  { name: 'get_weather', parameters, strict: true },
  { name: 'get_time', parameters: { type: 'object', properties: {}, additionalProperties: false } },
];
const validator = new Validator(parameters as Schema, '2020-12');
const head = { id: 'chatcmpl-1', created: 0, model: 'tiny-chat' };

describe.each(someRows(['qwen3-coder', 'lfm2', 'pythonic', 'gemma-4'], 2))('%s', (format) => {
  let pipeline: Pipeline<ChatRequest, ChatEvent, ChatModelInfo>;

  beforeAll(async () => {
    pipeline = await loadChatPipeline(
      {
        id: 'tiny-chat',
        category: 'chat',
        source: 'examples/models/tiny-chat',
        threads: 1,
        toolCallFormat: knownFormat(format).notations[0],
      },
      onnxSessions,
    );
  });

  afterAll(() => pipeline.close());

  /** The message of an answer, once of its body and once of its chunks. */
  async function ask(input: Omit<ChatRequestInput, 'model' | 'messages'>) {
    const messages = [{ role: 'user', content: 'What is the weather in Paris?' }] as const;
    const request = completeChatRequest({
      model: 'tiny-chat',
      messages,
      temperature: 1,
      maxTokens: 600,
      tools,
      ...input,
    });
    const events: ChatEvent[] = [];
    for await (const event of pipeline.run(request)) events.push(event);
    const { message, finish_reason: finishReason } = toChatCompletion(events, head).choices[0]!;
    const whole = (message.tool_calls ?? []).map((call) => call.function);
    const toChunks = createChunker(head, { choices: 1, includeUsage: false });
    const streamed: { name: string; arguments: string }[] = [];
    let deltas = 0;
    for (const { choices } of events.flatMap((event) => toChunks(event))) {
      for (const { index, function: part } of choices[0]?.delta.tool_calls ?? []) {
        streamed[index] ??= { name: part?.name ?? '', arguments: '' };
        streamed[index].arguments += part?.arguments ?? '';
        deltas++;
      }
    }
    return { content: message.content, finishReason, whole, streamed, deltas };
  }

  function expectValid({ whole, streamed }: Awaited<ReturnType<typeof ask>>): void {
    expect(streamed).toEqual(whole);
    for (const { name, arguments: text } of whole) {
      if (name === 'get_time') expect(JSON.parse(text)).toEqual({});
      else expect([text, validator.validate(JSON.parse(text)).errors]).toEqual([text, []]);
    }
  }

  test('a required call', async () => {
    for (const answer of await Promise.all(
      Array.from({ length: 3 }, (_, seed) => ask({ seed, toolChoice: 'required', parallelToolCalls: false })),
    )) {
      expect(answer).toMatchObject({ content: null, finishReason: 'tool_calls', whole: [{}] });
      expectValid(answer);
    }
  });

  test('a named tool, whose arguments are streamed', async () => {
    for (const answer of await Promise.all(
      Array.from({ length: 3 }, (_, seed) => ask({ seed, toolChoice: { name: 'get_weather' } })),
    )) {
      expect(answer).toMatchObject({ finishReason: 'tool_calls', whole: [{ name: 'get_weather' }] });
      expect(answer.deltas).toBeGreaterThan(format === 'qwen3-coder' ? 2 : 1);
      expectValid(answer);
    }
  });

  test('a strict tool under `auto`: text, or calls that are valid', async () => {
    for (const answer of await Promise.all(
      Array.from({ length: 3 }, (_, seed) => ask({ seed, maxTokens: 150, toolChoice: 'auto' })),
    )) {
      if (answer.finishReason !== 'length') expectValid(answer);
    }
  });
});
