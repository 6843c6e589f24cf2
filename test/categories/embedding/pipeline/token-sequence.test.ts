import { describe, expect, it } from 'vitest';
import type { TextTokenizer } from '../../../../src/contracts/text-model.ts';
import { toTokenSequence } from '../../../../src/categories/embedding/pipeline/embedding-pipeline.ts';

/** A character is a token. */
const tokenizer = {
  frame: { before: [1], after: [2] },
  encode: (text: string) => [...text].map((character) => character.charCodeAt(0)),
} as unknown as TextTokenizer;

const options = {
  tokenizer,
  vocabularySize: 200,
  contextLength: 8,
  prompt: '',
  truncate: false,
  param: 'input[3]',
};

describe('toTokenSequence', () => {
  it.each([
    ['abc', {}, [1, 97, 98, 99, 2], 0],
    ['abcdef', {}, [1, 97, 98, 99, 100, 101, 102, 2], 0],
    ['abcdefghi', { truncate: true }, [1, 97, 98, 99, 100, 101, 102, 2], 0],
    ['c', { prompt: 'ab' }, [1, 97, 98, 99, 2], 3],
    ['cdefghi', { prompt: 'ab', truncate: true }, [1, 97, 98, 99, 100, 101, 102, 2], 3],
    [[5, 6], {}, [5, 6], 0],
    [[5, 6], { prompt: 'ab' }, [5, 6], 0],
    [[1, 2, 3, 4, 5, 6, 7, 8, 9], { truncate: true }, [1, 2, 3, 4, 5, 6, 7, 8], 0],
  ])('%j with %j', (input, changes, ids, promptTokens) => {
    expect(toTokenSequence(input, { ...options, ...changes })).toEqual({ ids, promptTokens });
  });

  it.each([
    ['abcdefg', {}, 'context_length_exceeded', 'the text has 9 tokens'],
    ['abcde', { prompt: 'ab' }, 'context_length_exceeded', 'the text has 9 tokens'],
    ['a'.repeat(300), {}, 'context_length_exceeded', 'the text has 300 characters'],
    [Array.from({ length: 9 }, () => 1), {}, 'context_length_exceeded', 'there are 9 tokens'],
    [[3, 200], {}, 'invalid_request', 'expected token ids below 200, got 200'],
    [
      '',
      { tokenizer: { ...tokenizer, frame: { before: [], after: [] } } },
      'invalid_request',
      'expected a text with at least one token',
    ],
  ])('refuses %.20j with %j', (input, changes, code, message) => {
    expect(() => toTokenSequence(input, { ...options, ...changes })).toThrow(
      expect.objectContaining({
        code,
        param: 'input[3]',
        message: expect.stringContaining(`input[3]: ${message}`),
      }),
    );
  });

  it('says that a text is too long in words that clients know', () => {
    expect(() => toTokenSequence('abcdefg', options)).toThrow(
      /^This model's maximum context length is 8 tokens\. However, /,
    );
  });

  it('looks at no more of a text than could fit', () => {
    let seen = 0;
    const counting = {
      ...tokenizer,
      encode: (text: string) => {
        seen += text.length;
        return [...text].map(() => 1);
      },
    };
    toTokenSequence('a'.repeat(1_000_000), { ...options, tokenizer: counting, truncate: true });
    expect(seen).toBeLessThanOrEqual(8 * 32);
  });
});
