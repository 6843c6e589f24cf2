import { describe, expect, it } from 'vitest';
import { runSteps } from '../../../../../src/core/run-steps.ts';
import { encodeRawPrompts } from '../../../../../src/categories/chat/pipeline/prompt/raw-prompts.ts';
import { completeChatRequest, type ChatRequestInput } from '../../../../../src/categories/chat/request.ts';
import type { TextTokenizer } from '../../../../../src/contracts/text-model.ts';

const special = ['<bos>', '<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>', '<eos>'];

/** A token for each letter, after the special ones. */
function encode(changes: Partial<ChatRequestInput>, tokens = special, framesPrompts = false) {
  const tokenizer = {
    frame: { before: [0], after: [4] },
    encode: (text: string) => [...text].map((letter) => letter.charCodeAt(0)),
    decode: (ids: readonly number[]) => ids.map((id) => special[id] ?? String.fromCharCode(id)).join(''),
    tokenToId: (token: string) => (tokens.includes(token) ? tokens.indexOf(token) : undefined),
  } as unknown as TextTokenizer;
  const request = completeChatRequest({ model: 'm', messages: [], ...changes });
  const reader = { tokenizer, vocabularySize: 200, framesPrompts };
  return runSteps(encodeRawPrompts(request, reader, () => ({ contextLength: 12 }))).map(
    ({ text, tokens: read, before }) => [text, tokenizer.decode([...read]), before],
  );
}

describe('encodeRawPrompts', () => {
  it('puts special tokens around texts alone', () => {
    expect(encode({ prompts: ['ab', [97, 98]] })).toEqual([
      ['ab', '<bos>ab<eos>', 1],
      ['ab', 'ab', 0],
    ]);
    expect(encode({ prompts: ['ab'], addSpecialTokens: false })).toEqual([['ab', 'ab', 0]]);
  });

  it('leaves them to a model that puts them there itself, but counts them', () => {
    expect(encode({ prompts: ['ab'] }, special, true)).toEqual([['ab', 'ab', 0]]);
    expect(encode({ prompts: ['ab'], stopAfter: 'encoding' }, special, true)).toEqual([
      ['ab', '<bos>ab<eos>', 1],
    ]);
  });

  it('cuts the beginning off', () => {
    const cut = { prompts: ['abcdef', [97, 98, 99]], truncatePromptTokens: 2, addSpecialTokens: false };
    expect(encode(cut)).toEqual([
      ['ef', 'ef', 0],
      ['bc', 'bc', 0],
    ]);
  });

  it('puts prompt and suffix around the gap', () => {
    const [[, read]] = encode({ prompts: ['ab'], suffix: 'yz' }) as [[string, string]];
    expect(read).toBe('<|fim_prefix|>ab<|fim_suffix|>yz<|fim_middle|>');
  });

  it.each<[string, string, Partial<ChatRequestInput>]>([
    ['prompt[1]', 'invalid_request', { prompts: ['a', []] }],
    ['prompt[0][1]', 'invalid_request', { prompts: [[1, 200]] }],
    ['messages', 'context_length_exceeded', { prompts: ['abcdefghijkl'] }],
    ['messages', 'context_length_exceeded', { prompts: ['abcde'], suffix: 'abcde' }],
  ])('refuses %s', (param, code, changes) => {
    expect(() => encode(changes)).toThrow(expect.objectContaining({ param, code }));
  });

  it('refuses a suffix where there are no tokens for it', () => {
    expect(() => encode({ prompts: ['a'], suffix: 'b' }, ['<bos>'])).toThrow(
      expect.objectContaining({ param: 'suffix', code: 'unsupported_feature' }),
    );
  });
});
