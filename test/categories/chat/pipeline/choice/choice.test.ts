import { describe, expect, test } from 'vitest';
import { Choice } from '../../../../../src/categories/chat/pipeline/choice/choice.ts';
import type { ChatEvent } from '../../../../../src/categories/chat/events.ts';
import { completeChatRequest, type ChatRequestInput } from '../../../../../src/categories/chat/request.ts';
import { thinkFormat } from '../../../../../src/core/chat/reasoning-formats.ts';

type Options = Partial<Omit<ChatRequestInput, 'model' | 'messages'>>;

/** Lets a model say these pieces, a token each, and gives what comes of it. */
function say(pieces: readonly (string | Uint8Array)[], options: Options): ChatEvent[] {
  const events: ChatEvent[] = [];
  const bytes = pieces.map((piece) => (typeof piece === 'string' ? new TextEncoder().encode(piece) : piece));
  const decode = (ids: readonly number[]) =>
    new TextDecoder().decode(Buffer.concat(ids.map((id) => bytes[id]!)));
  const end = pieces.length;
  const choice = new Choice(0, {
    request: completeChatRequest({
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      temperature: 0,
      repeatPenalty: 1,
      logprobs: true,
      ...options,
    }),
    prompt: new Int32Array(0),
    seed: 1,
    tokenizer: { decode, bytesOf: (id: number) => bytes[id]!, isSpecial: () => false } as never,
    vocabularySize: end + 1,
    contextLength: 1000,
    endTokens: new Set([end]),
    markerTokens: new Set(),
    createReasoningSplitter: () => thinkFormat.createSplitter(''),
    createToolCallParser: undefined,
    grammar: undefined,
    emit: (event) => events.push(event),
    createToolCallId: () => 'call_1',
  });
  for (let token = 0; token <= end; token++) {
    const logits = new Float32Array(end + 1);
    logits[token] = 10;
    if (choice.next(logits) === undefined) break;
  }
  return events;
}

/** Text and the tokens that describe it, delta by delta. */
function describedDeltas(events: readonly ChatEvent[]): [text: string, tokens: string][] {
  let tokens: string[] = [];
  const deltas: [string, string][] = [];
  for (const event of events) {
    if (event.type === 'logprobs') tokens.push(...event.tokens.map(({ token }) => token));
    else if (event.type === 'text-delta' || event.type === 'choice-end') {
      deltas.push([event.type === 'text-delta' ? event.text : '', tokens.join('|')]);
      tokens = [];
    }
  }
  return deltas;
}

describe('log probabilities come before the delta that they describe', () => {
  test.each<[string, string[], Options, [string, string][]]>([
    [
      'piece by piece',
      ['a', ' b'],
      {},
      [
        ['a', 'a'],
        [' b', ' b'],
        ['', ''],
      ],
    ],
    [
      'a stop sequence',
      ['a', ' b'],
      { stop: ' b' },
      [
        ['a', 'a'],
        ['', ''],
      ],
    ],
    [
      'a stop within a token',
      ['a', ' bcd'],
      { stop: 'c' },
      [
        ['a', 'a'],
        [' b', ' bcd'],
        ['', ''],
      ],
    ],
    [
      'a stop over tokens',
      ['a', 'b', 'c'],
      { stop: 'bc' },
      [
        ['a', 'a'],
        ['', ''],
      ],
    ],
    [
      'a beginning that was none',
      ['a', 'b', 'd'],
      { stop: 'bc' },
      [
        ['a', 'a'],
        ['bd', 'b|d'],
        ['', ''],
      ],
    ],
    [
      'a beginning that was none, then one',
      ['bb', 'b', 'c'],
      { stop: 'bbc' },
      [
        ['b', 'bb'],
        ['', ''],
      ],
    ],
    [
      'held text beside a new beginning',
      ['bx', 'b', 'b', 'c'],
      { stop: 'bc' },
      [
        ['bx', 'bx'],
        ['b', 'b'],
        ['', ''],
      ],
    ],
    [
      'held tokens in the stop token',
      ['ab', 'q c'],
      { stop: [' c', 'abz'] },
      [
        ['abq', 'ab|q c'],
        ['', ''],
      ],
    ],
    [
      'a beginning at the end',
      ['a', 'b'],
      { stop: 'bc' },
      [
        ['a', 'a'],
        ['b', 'b'],
        ['', ''],
      ],
    ],
    [
      'an included stop',
      ['a', 'b', 'cd'],
      { stop: 'bc', includeStopStrInOutput: true },
      [
        ['a', 'a'],
        ['bc', 'b|cd'],
        ['', ''],
      ],
    ],
    [
      'text after the stop',
      ['a', 'b', 'x'],
      { stop: 'b' },
      [
        ['a', 'a'],
        ['', ''],
      ],
    ],
    [
      'hidden thinking',
      ['<think>', 'hm', '</think>', 'a'],
      { includeReasoning: false },
      [
        ['a', 'a'],
        ['', ''],
      ],
    ],
    [
      'the token limit',
      ['a', 'b'],
      { stop: 'bc', maxTokens: 2 },
      [
        ['a', 'a'],
        ['b', 'b'],
        ['', ''],
      ],
    ],
  ])('%s', (_name, pieces, options, deltas) => {
    expect(describedDeltas(say(pieces, options))).toEqual(deltas);
  });

  test.each<[string, Options, [string, string[]][]]>([
    [
      'whole',
      {},
      [
        ['é', ['[195]', '[169]']],
        ['', []],
      ],
    ],
    ['cut', { stop: 'é' }, [['', []]]],
  ])('of a character of two tokens, %s', (_name, options, deltas) => {
    const events = say([new Uint8Array([195]), new Uint8Array([169])], options);
    const told: [string, string[]][] = [];
    let tokens: string[] = [];
    for (const event of events) {
      if (event.type === 'logprobs') tokens = event.tokens.map(({ bytes }) => `[${bytes.join()}]`);
      else if (event.type === 'text-delta' || event.type === 'choice-end') {
        told.push([event.type === 'text-delta' ? event.text : '', tokens]);
        tokens = [];
      }
    }
    expect(told).toEqual(deltas);
  });
});
