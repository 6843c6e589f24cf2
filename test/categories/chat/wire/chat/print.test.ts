import { describe, expect, it } from 'vitest';
import type { ChatEvent } from '../../../../../src/categories/chat/events.ts';
import {
  chatCompletionChunkSchema,
  chatCompletionSchema,
} from '../../../../../src/categories/chat/wire/chat/schema.ts';
import { toFrame } from '../../../../../src/http/sse.ts';
import {
  createChunker,
  createFrameWriter,
} from '../../../../../src/categories/chat/wire/chat/print-chunks.ts';
import { toChatCompletion } from '../../../../../src/categories/chat/wire/chat/print.ts';

const head = { id: 'chatcmpl-1', created: 1700000000, model: 'm' };
const usage: ChatEvent = {
  type: 'usage',
  promptTokens: 5,
  cachedTokens: 2,
  completionTokens: 7,
  reasoningTokens: 3,
};
const wireUsage = {
  prompt_tokens: 5,
  completion_tokens: 7,
  total_tokens: 12,
  prompt_tokens_details: { cached_tokens: 2 },
  completion_tokens_details: { reasoning_tokens: 3 },
};
const logprob = { token: 'é', logprob: -0.5, bytes: [195, 169] };

const wireLogprobs = { content: [{ ...logprob, top_logprobs: [logprob] }], refusal: null };

const text: ChatEvent[] = [
  { type: 'prompt-end', promptTokens: 5 },
  { type: 'reasoning-delta', choice: 0, text: 'Let me' },
  { type: 'reasoning-delta', choice: 0, text: ' think' },
  { type: 'text-delta', choice: 0, text: 'Hi' },
  { type: 'text-delta', choice: 0, text: ' you' },
  { type: 'choice-end', choice: 0, finishReason: 'stop' },
  usage,
];

const toolCalls: ChatEvent[] = [
  { type: 'prompt-end', promptTokens: 5 },
  { type: 'tool-call-start', choice: 0, call: 0, id: 'a', name: 'weather' },
  { type: 'tool-call-delta', choice: 0, call: 0, arguments: '{"city":' },
  { type: 'tool-call-delta', choice: 0, call: 0, arguments: '"Ulm"}' },
  { type: 'tool-call-start', choice: 0, call: 1, id: 'b', name: 'time' },
  { type: 'tool-call-delta', choice: 0, call: 1, arguments: '{}' },
  { type: 'choice-end', choice: 0, finishReason: 'tool_calls' },
  usage,
];

const choices: ChatEvent[] = [
  { type: 'prompt-end', promptTokens: 5 },
  { type: 'text-delta', choice: 1, text: 'B' },
  { type: 'text-delta', choice: 0, text: 'A' },
  { type: 'choice-end', choice: 1, finishReason: 'length' },
  { type: 'choice-end', choice: 0, finishReason: 'stop' },
  usage,
];

const withLogprobs: ChatEvent[] = [
  { type: 'logprobs', choice: 0, tokens: [{ ...logprob, topLogprobs: [logprob] }] },
  { type: 'text-delta', choice: 0, text: 'é' },
  { type: 'choice-end', choice: 0, finishReason: 'stop' },
  usage,
];

describe('toChatCompletion', () => {
  const complete = (events: ChatEvent[]): unknown => {
    const completion = toChatCompletion(events, head);
    expect(chatCompletionSchema.parse(completion)).toEqual(completion);
    return completion;
  };

  it('joins text and reasoning', () => {
    expect(complete(text)).toEqual({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1700000000,
      model: 'm',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hi you', refusal: null, reasoning_content: 'Let me think' },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: wireUsage,
    });
  });

  it('has as much of a call as a stream has where the limit cut it off', () => {
    const cutOff: ChatEvent[] = [
      ...toolCalls.slice(0, 4),
      { type: 'tool-call-start', choice: 0, call: 1, id: 'b', name: 'time' },
      { type: 'tool-call-delta', choice: 0, call: 1, arguments: '{"city": "Par' },
      { type: 'choice-end', choice: 0, finishReason: 'length' },
    ];
    const weather = { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Ulm"}' } };
    const time = { id: 'b', type: 'function', function: { name: 'time', arguments: '{"city": "Par' } };
    expect(complete(cutOff)).toMatchObject({
      choices: [{ message: { content: null, tool_calls: [weather, time] }, finish_reason: 'length' }],
    });
    const chunks = cutOff.flatMap(createChunker(head, { choices: 1, includeUsage: false }));
    const deltas = chunks.flatMap(({ choices: [choice] }) => choice?.delta.tool_calls ?? []);
    const ofTime = deltas.filter(({ index }) => index === 1).map((delta) => delta.function.arguments);
    expect(ofTime.join('')).toBe(time.function.arguments);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('length');
  });

  it('has numbers for tokens that were impossible', () => {
    const impossible = { token: 'a', logprob: -Infinity, bytes: [97] };
    const events: ChatEvent[] = [
      { type: 'logprobs', choice: 0, tokens: [{ ...impossible, topLogprobs: [logprob] }] },
      { type: 'choice-end', choice: 0, finishReason: 'stop' },
    ];
    expect(complete(events)).toMatchObject({ choices: [{ logprobs: { content: [{ logprob: -9999 }] } }] });
  });

  it('joins tool calls and has no content then', () => {
    expect(complete(toolCalls)).toMatchObject({
      choices: [
        {
          message: {
            content: null,
            tool_calls: [
              { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Ulm"}' } },
              { id: 'b', type: 'function', function: { name: 'time', arguments: '{}' } },
            ],
          },
          finish_reason: 'tool_calls',
        },
      ],
    });
  });

  it('keeps text beside tool calls', () => {
    const events: ChatEvent[] = [
      { type: 'text-delta', choice: 0, text: 'Let me see.' },
      ...toolCalls.slice(1),
    ];
    expect(complete(events)).toMatchObject({ choices: [{ message: { content: 'Let me see.' } }] });
  });

  it('has content of no length for an answer of no tokens', () => {
    const events: ChatEvent[] = [{ type: 'choice-end', choice: 0, finishReason: 'stop' }, usage];
    expect(complete(events)).toMatchObject({ choices: [{ message: { role: 'assistant', content: '' } }] });
  });

  it('shows the fingerprint of the model, in chunks too', () => {
    const marked = { ...head, systemFingerprint: 'fp_1' };
    expect(toChatCompletion(text, marked).system_fingerprint).toBe('fp_1');
    const toChunks = createChunker(marked, { choices: 1, includeUsage: true });
    expect(text.flatMap(toChunks).map((chunk) => chunk.system_fingerprint)).toEqual(Array(7).fill('fp_1'));
  });

  it('orders choices by their index', () => {
    expect(complete(choices)).toMatchObject({
      choices: [
        { index: 0, message: { content: 'A' }, finish_reason: 'stop' },
        { index: 1, message: { content: 'B' }, finish_reason: 'length' },
      ],
    });
  });

  it('lists log probabilities', () => {
    expect(complete(withLogprobs)).toMatchObject({
      choices: [{ logprobs: wireLogprobs }],
    });
  });
});

describe('createChunker', () => {
  const chunks = (events: ChatEvent[], n = 1, includeUsage = false): unknown[] => {
    const all = events.flatMap(createChunker(head, { choices: n, includeUsage }));
    for (const chunk of all) {
      expect(chatCompletionChunkSchema.parse(chunk)).toEqual(chunk);
      expect(chunk).toMatchObject({ ...head, object: 'chat.completion.chunk' });
    }
    return all;
  };
  const choicesOf = (events: ChatEvent[], n = 1): unknown[] =>
    chunks(events, n).map((chunk) => (chunk as { choices: unknown[] }).choices[0]);
  const delta = (content: object, index = 0): object => ({ index, delta: content, finish_reason: null });
  const end = (finish_reason: string, index = 0): object => ({ index, delta: {}, finish_reason });
  const role = { role: 'assistant', content: null };

  it('streams reasoning, then text', () => {
    expect(choicesOf(text)).toEqual([
      delta(role),
      delta({ reasoning_content: 'Let me' }),
      delta({ reasoning_content: ' think' }),
      delta({ content: 'Hi' }),
      delta({ content: ' you' }),
      end('stop'),
    ]);
  });

  it('streams tool calls', () => {
    expect(choicesOf(toolCalls)).toEqual([
      delta(role),
      delta({
        tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'weather', arguments: '' } }],
      }),
      delta({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: '"Ulm"}' } }] }),
      delta({
        tool_calls: [{ index: 1, id: 'b', type: 'function', function: { name: 'time', arguments: '' } }],
      }),
      delta({ tool_calls: [{ index: 1, function: { arguments: '{}' } }] }),
      end('tool_calls'),
    ]);
  });

  it('interleaves choices, each with its role first', () => {
    expect(choicesOf(choices, 2)).toEqual([
      delta(role, 0),
      delta(role, 1),
      delta({ content: 'B' }, 1),
      delta({ content: 'A' }, 0),
      end('length', 1),
      end('stop', 0),
    ]);
  });

  it('sends the role before the first delta where nothing tells the end of the prompt', () => {
    expect(choicesOf(withLogprobs)).toEqual([
      delta(role),
      { ...delta({ content: 'é' }), logprobs: wireLogprobs },
      end('stop'),
    ]);
  });

  it('sends log probabilities with the next chunk of their own choice', () => {
    const tokens = [{ ...logprob, topLogprobs: [logprob] }];
    const events: ChatEvent[] = [
      { type: 'logprobs', choice: 1, tokens },
      { type: 'text-delta', choice: 0, text: 'A' },
      { type: 'text-delta', choice: 1, text: 'B' },
      { type: 'logprobs', choice: 0, tokens },
      { type: 'hidden-tokens', choice: 0, tokens: 1 },
      { type: 'choice-end', choice: 0, finishReason: 'stop' },
    ];
    expect(choicesOf(events, 2)).toEqual([
      delta(role),
      delta({ content: 'A' }),
      delta(role, 1),
      { ...delta({ content: 'B' }, 1), logprobs: wireLogprobs },
      { ...end('stop'), logprobs: wireLogprobs },
    ]);
  });

  it('ends with the usage when asked, and says null before', () => {
    const all = chunks(text, 1, true) as { usage: unknown; choices: unknown[] }[];
    expect(all.map((chunk) => chunk.usage)).toEqual([null, null, null, null, null, null, wireUsage]);
    expect(all.at(-1)!.choices).toEqual([]);
  });

  it('says nothing of usage otherwise', () => {
    expect(chunks(text).filter((chunk) => 'usage' in (chunk as object))).toEqual([]);
  });
});

describe('createFrameWriter', () => {
  const more: ChatEvent[] = ['\n"quoted"', '"content":""', '', '\u{1F600}', '\ud83d'].map((piece) => ({
    type: 'text-delta',
    choice: 0,
    text: piece,
  }));
  const tricky = { ...head, model: '"content":"" {"content":""}', id: '"content":' };

  it.each([
    ['texts', [...text, ...more], {}],
    ['texts with their usage so far', [...text, ...more], { continuousUsage: true }],
    ['texts before their usage', [...text, ...more], { includeUsage: true }],
    ['calls between texts', [...more, ...toolCalls, ...more], {}],
    ['choices', [...choices.slice(0, 3), ...choices.slice(1)], { choices: 2 }],
    ['log probabilities of some', [...more, ...withLogprobs.slice(0, 2), ...more, ...withLogprobs], {}],
  ] as const)('writes the chunks: %s', (_name, events, given) => {
    for (const one of [head, tricky]) {
      const options = { choices: 1, includeUsage: false, ...given };
      const frames = events.map(createFrameWriter(one, options));
      const toChunks = createChunker(one, options);
      expect(frames).toEqual(events.map((event) => toChunks(event).map(toFrame).join('')));
    }
  });
});
