import { describe, expect, it } from 'vitest';
import { createTextTokenizer } from '../../src/folder/tokenizer.ts';
import { folderOf } from './folders.ts';

const added = (id: number, content: string, special: boolean) => ({
  id,
  content,
  special,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
});

const byteLevel = createTextTokenizer(
  folderOf({
    tokenizer: {
      added_tokens: [added(6, '<|end|>', true), added(7, '<think>', false)],
      normalizer: null,
      pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
      post_processor: null,
      decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
      model: {
        type: 'BPE',
        vocab: { H: 0, i: 1, Hi: 2, Ġ: 3, Ã: 4, '©': 5, '<|end|>': 6, '<think>': 7 },
        merges: [['H', 'i']],
      },
    },
  }),
);

const byteFallback = createTextTokenizer(
  folderOf({
    tokenizer: {
      added_tokens: [added(0, '<unk>', true)],
      normalizer: {
        type: 'Sequence',
        normalizers: [{ type: 'Replace', pattern: { String: ' ' }, content: '▁' }],
      },
      pre_tokenizer: null,
      post_processor: null,
      decoder: {
        type: 'Sequence',
        decoders: [
          { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
          { type: 'ByteFallback' },
          { type: 'Fuse' },
        ],
      },
      model: {
        type: 'BPE',
        unk_token: '<unk>',
        byte_fallback: true,
        fuse_unk: true,
        vocab: { '<unk>': 0, '<0xC3>': 1, '<0xA9>': 2, '▁a': 3, '▁': 4, a: 5 },
        merges: [['▁', 'a']],
      },
    },
  }),
);

describe('byte-level vocabulary', () => {
  it('encodes text and special tokens that are spelled out', () => {
    expect(byteLevel.encode('Hi é<|end|>')).toEqual([2, 3, 4, 5, 6]);
    expect(byteLevel.decode([2, 3, 4, 5, 6])).toBe('Hi é<|end|>');
    expect(byteLevel.vocabularySize).toBe(8);
  });

  it.each([
    [2, [72, 105]],
    [3, [32]],
    [4, [0xc3]],
    [5, [0xa9]],
    [7, [...Buffer.from('<think>')]],
    [99, []],
  ])('token %i stands for the bytes %j', (id, bytes) => expect([...byteLevel.bytesOf(id)]).toEqual(bytes));

  it('tells control tokens from markers that belong to the answer', () => {
    expect(byteLevel.isSpecial(6)).toBe(true);
    expect(byteLevel.isSpecial(7)).toBe(false);
    expect(byteLevel.isSpecial(2)).toBe(false);
  });
});

describe('vocabulary with byte fallback', () => {
  it('encodes what it has no token for as bytes', () => {
    expect(byteFallback.encode(' aé')).toEqual([3, 1, 2]);
  });

  it.each([
    [1, [0xc3]],
    [3, [32, 97]],
  ])('token %i stands for the bytes %j', (id, bytes) => expect([...byteFallback.bytesOf(id)]).toEqual(bytes));
});

it('a text that takes the pattern of a model too long is no fault of the request', () => {
  const pattern = { Regex: '(?:a?){50}a{50}b' };
  const slow = createTextTokenizer(
    folderOf({
      tokenizer: {
        pre_tokenizer: { type: 'Split', pattern, behavior: 'Isolated', invert: false },
        model: { type: 'WordLevel', vocab: { a: 0 }, unk_token: 'a' },
      },
    }),
  );
  const expected = expect.objectContaining({
    code: 'internal',
    message: expect.stringMatching(
      /^The model's tokenizer\.json can't split this text: .*Regex: the pattern/,
    ) as string,
  }) as Error;
  expect(() => slow.encode('a'.repeat(2000))).toThrow(expected);
  expect(() => slow.encodeSteps!('a'.repeat(2000)).next()).toThrow(expected);
  expect(slow.encode('a')).toEqual([0]);
});

describe('frame', () => {
  const piece = (token: string) => ({ SpecialToken: { id: token, type_id: 0 } });
  const framed = (single: object[]) =>
    createTextTokenizer(
      folderOf({
        tokenizer: {
          added_tokens: [added(0, '[CLS]', true), added(1, '[SEP]', true), added(2, '[UNK]', true)],
          normalizer: null,
          pre_tokenizer: { type: 'BertPreTokenizer' },
          post_processor: {
            type: 'TemplateProcessing',
            single,
            pair: [],
            special_tokens: {
              '[CLS]': { id: '[CLS]', ids: [0], tokens: ['[CLS]'] },
              '[SEP]': { id: '[SEP]', ids: [1], tokens: ['[SEP]'] },
            },
          },
          decoder: null,
          model: {
            type: 'WordPiece',
            unk_token: '[UNK]',
            continuing_subword_prefix: '##',
            max_input_chars_per_word: 100,
            vocab: { '[CLS]': 0, '[SEP]': 1, '[UNK]': 2, a: 3 },
          },
        },
      }),
    ).frame;
  const text = { Sequence: { id: 'A', type_id: 0 } };

  it.each([
    ['both', [piece('[CLS]'), text, piece('[SEP]')], { before: [0], after: [1] }],
    ['a beginning', [piece('[CLS]'), text], { before: [0], after: [] }],
    ['an end', [text, piece('[SEP]'), piece('[SEP]')], { before: [], after: [1, 1] }],
    ['nothing', [text], { before: [], after: [] }],
  ])('%s', (_title, single, expected) => {
    expect(framed(single)).toEqual(expected);
  });
});
