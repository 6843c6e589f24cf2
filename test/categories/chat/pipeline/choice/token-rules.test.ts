import { describe, expect, it } from 'vitest';
import { Choice } from '../../../../../src/categories/chat/pipeline/choice/choice.ts';
import { compileTokenRules } from '../../../../../src/categories/chat/pipeline/choice/token-rules.ts';
import type { ChatEvent } from '../../../../../src/categories/chat/events.ts';
import { completeChatRequest, type ChatRequestInput } from '../../../../../src/categories/chat/request.ts';
import { thinkFormat } from '../../../../../src/core/chat/reasoning-formats.ts';

const pieces = ['a', ' a', 'b', 'c', 'd', ' ', ' db'];
const end = pieces.length;
const decode = (ids: readonly number[]): string => ids.map((id) => pieces[id] ?? '').join('');
/** The longest piece at each place. */
function encode(text: string): number[] {
  if (text === '') return [];
  const longest = pieces
    .filter((piece) => text.startsWith(piece))
    .toSorted((a, b) => b.length - a.length)[0]!;
  return [pieces.indexOf(longest), ...encode(text.slice(longest.length))];
}

type Options = Partial<Omit<ChatRequestInput, 'model' | 'messages'>>;

/** The answer of a model that likes the tokens of each step best in their order, and how it ended. */
function answerOf(steps: readonly (readonly number[])[], options: Options): [text: string, ending: string] {
  const events: ChatEvent[] = [];
  const request = completeChatRequest({
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    temperature: 0,
    repeatPenalty: 1,
    maxTokens: steps.length,
    ...options,
  });
  const tokenizer = {
    encode,
    decode,
    bytesOf: (id: number) => new TextEncoder().encode(pieces[id]),
    isSpecial: () => false,
  };
  const vocabulary = { tokenizer, vocabularySize: end + 1, endTokens: new Set([end]) };
  const choice = new Choice(0, {
    ...vocabulary,
    tokenizer: tokenizer as never,
    request,
    prompt: new Int32Array(0),
    seed: 1,
    contextLength: 1000,
    markerTokens: new Set(),
    createReasoningSplitter: () => thinkFormat.createSplitter(''),
    createToolCallParser: undefined,
    grammar: undefined,
    rules: compileTokenRules(request, vocabulary),
    emit: (event) => events.push(event),
    createToolCallId: () => 'call_1',
  });
  for (const liked of steps) {
    const logits = new Float32Array(end + 1).fill(-10);
    liked.forEach((token, place) => (logits[token] = 10 - place));
    if (choice.next(logits) === undefined) break;
  }
  const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
  const last = events.find(({ type }) => type === 'choice-end') as { finishReason?: string } | undefined;
  return [text, last?.finishReason ?? 'none'];
}

const [a, spacedA, b, c, d, , spacedDb] = [0, 1, 2, 3, 4, 5, 6] as const;
const likesEnd = [[b], [end, c], [end, d], [end, a]];

describe('tokens of an answer', () => {
  it.each<[string, Options, readonly (readonly number[])[], [string, string]]>([
    ['without rules', {}, likesEnd, ['b', 'stop']],
    ['at least three', { minTokens: 3 }, likesEnd, ['bcd', 'stop']],
    ['no end', { ignoreEos: true }, likesEnd, ['bcda', 'length']],
    ['a token that ends it', { stopTokenIds: [c] }, [[b], [c], [d]], ['b', 'stop']],
    [
      'a token that ends it, included',
      { stopTokenIds: [c], includeStopStrInOutput: true },
      [[b], [c], [d]],
      ['bc', 'stop'],
    ],
    [
      'a token that would end it too early',
      { stopTokenIds: [c], minTokens: 2 },
      [[c, b], [c, d], [c]],
      ['bd', 'stop'],
    ],
    [
      'some alone, the end not among them',
      { allowedTokenIds: [b, d] },
      [
        [c, b],
        [end, a, d],
      ],
      ['bd', 'length'],
    ],
    [
      'a word',
      { badWords: ['a'] },
      [
        [a, spacedA, b],
        [spacedA, c],
      ],
      ['bc', 'length'],
    ],
    ['a word of several tokens', { badWords: ['bc'] }, [[b], [c, d], [c], [b]], ['bdcb', 'length']],
    [
      'a word that is one token after a space',
      { badWords: ['db'] },
      [
        [spacedDb, b],
        [spacedDb, c],
      ],
      ['bc', 'length'],
    ],
    ['none that is left', { allowedTokenIds: [a], badWords: ['a'] }, [[a], [a]], ['', 'stop']],
  ])('%s', (_name, options, steps, expected) => {
    expect(answerOf(steps, options)).toEqual(expected);
  });

  it.each<[Options, string]>([
    [{ minTokens: 9, maxTokens: 8 }, 'min_tokens'],
    [{ badWords: [''] }, 'bad_words'],
    [{ badWords: ['x'.repeat(257)] }, 'bad_words'],
    [{ ignoreEos: true, responseFormat: { type: 'json-object' } }, 'ignore_eos'],
    [{ allowedTokenIds: [1], responseFormat: { type: 'regex', regex: 'a' } }, 'allowed_token_ids'],
  ])('%j is refused', (options, param) => {
    const input = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }], ...options };
    expect(() => completeChatRequest(input)).toThrow(
      expect.objectContaining({ code: 'invalid_request', param }),
    );
  });
});
