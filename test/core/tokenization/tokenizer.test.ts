import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createDetokenizer } from '../../../src/core/text/detokenizer.ts';
import { createTokenizer, type EncodeOptions } from '../../../src/core/tokenization/tokenizer.ts';
import { runs } from '../../thorough.ts';

const golden = JSON.parse(
  gunzipSync(readFileSync(new URL('reference/golden.json.gz', import.meta.url))).toString(),
) as { readonly cases: readonly { readonly name: string; readonly definition: Record<string, unknown> }[] };

const definitionOf = (name: string): Record<string, unknown> =>
  golden.cases.find((candidate) => candidate.name === name)!.definition;

const words = {
  model: { type: 'WordLevel', vocab: { '?': 0, hello: 1, world: 2, '😀': 3 }, unk_token: '?' },
  pre_tokenizer: { type: 'Whitespace' },
};

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string(),
  fc
    .array(fc.constantFrom(' ', '  ', '\n', 'a', "'s", '😀', 'é', '<|im_end|>', '123'))
    .map((parts) => parts.join('')),
);

describe('round trip', () => {
  it.each(['gpt2', 'llama3', 'whisper', 'o200k', 'possessive', 'deepseek', 'llama2', 'gemma'])(
    '%s gives back what it got, at once and as a stream',
    (name) => {
      const tokenizer = createTokenizer(definitionOf(name));
      const options = { addSpecialTokens: false, specialAsText: true };
      fc.assert(
        fc.property(anyText, (text) => {
          // SentencePiece writes blanks as ▁.
          fc.pre(!text.includes('▁') && !/<0x|masked|the of/u.test(text));
          const ids = tokenizer.toIds(text, options);
          expect(tokenizer.decode(ids)).toBe(text);
          const detokenizer = createDetokenizer((piece) => tokenizer.decode(piece));
          expect(Array.from(ids, (id) => detokenizer.push(id)).join('') + detokenizer.flush()).toBe(text);
        }),
        { seed: 3, numRuns: runs(60) },
      );
    },
  );
});

describe('tokens of a text', () => {
  it('are where they are in the text, in code units', () => {
    const { ids, tokens, offsets } = createTokenizer(words).encode('hello 😀😀, world');
    expect([...ids]).toEqual([1, 0, 2]);
    expect(tokens).toEqual(['hello', '?', 'world']);
    expect([...offsets]).toEqual([0, 5, 6, 11, 12, 17]);
  });

  it('take lone surrogates for U+FFFD', () => {
    const tokenizer = createTokenizer(definitionOf('gpt2'));
    expect([...tokenizer.toIds('a\uD800b\uDC00')]).toEqual([...tokenizer.toIds('a\uFFFDb\uFFFD')]);
    expect([...tokenizer.encode('\uDC00\uD800').offsets]).toEqual([
      ...tokenizer.encode('\uFFFD\uFFFD').offsets,
    ]);
  });

  it('are none for an empty text', () => {
    const encoding = createTokenizer(words).encode('');
    expect(encoding.ids.length).toBe(0);
    expect(encoding.tokens).toEqual([]);
    expect(createTokenizer(words).decode([])).toBe('');
  });

  it('can be told from what looks like a special token', () => {
    const tokenizer = createTokenizer(definitionOf('llama3'));
    const end = tokenizer.tokenToId('<|im_end|>')!;
    expect([...tokenizer.toIds('a<|im_end|>')]).toContain(end);
    const plain = tokenizer.toIds('a<|im_end|>', { specialAsText: true });
    expect([...plain]).not.toContain(end);
    expect(tokenizer.decode(plain, { skipSpecialTokens: true })).toBe('a<|im_end|>');
    expect(tokenizer.countTokens('a<|im_end|>', { specialAsText: true })).toBe(plain.length);
  });

  it('stay the same however often and in whatever order they are asked for', () => {
    const tokenizer = createTokenizer(definitionOf('xlm_roberta'));
    const texts = ['aa', 'aaa', 'ｅ́ ﬁ', 'aa', ' aa  a', 'a'.repeat(70_000), 'aa'];
    const first = texts.map((text) => [...tokenizer.toIds(text)]);
    expect(texts.toReversed().map((text) => [...tokenizer.toIds(text)])).toEqual(first.toReversed());
  });
});

describe('around a text', () => {
  const tokenizer = createTokenizer(definitionOf('bert'), {
    cls_token: '[CLS]',
    sep_token: { content: '[SEP]' },
    pad_token: '[PAD]',
    bos_token: null,
    eos_token: 'no such token',
  });

  it('are the tokens of the template', () => {
    expect(tokenizer.frame).toEqual({ before: [2], after: [3] });
    expect(tokenizer.roles).toEqual({ cls: 2, sep: 3, pad: 0 });
    expect([...tokenizer.toIds('a', { addSpecialTokens: false })]).toEqual(
      [...tokenizer.toIds('a')].slice(1, -1),
    );
    expect(tokenizer.countTokens('a')).toBe(tokenizer.countTokens('a', { addSpecialTokens: false }) + 2);
  });

  it('is room for as many tokens as one says', () => {
    const options: EncodeOptions = {
      truncation: { maxLength: 5 },
      padding: { length: 8, direction: 'left', id: 0 },
    };
    const encoding = tokenizer.encode('a b c d e f', options);
    expect([...encoding.attentionMask]).toEqual([0, 0, 0, 1, 1, 1, 1, 1]);
    expect([...encoding.specialTokensMask]).toEqual([1, 1, 1, 1, 0, 0, 0, 1]);
    expect(encoding.overflowing).toHaveLength(1);
    expect([...tokenizer.toIds('a b c d e f', options)]).toEqual([...encoding.ids]);
  });

  it.each<[EncodeOptions, string]>([
    [{ truncation: { maxLength: 1 } }, 'truncation.maxLength'],
    [{ truncation: { maxLength: 2.5 } }, 'truncation.maxLength'],
    [{ truncation: { maxLength: 5, stride: 3 } }, 'truncation.stride'],
    [{ truncation: { maxLength: 5, strategy: 'only_second' } }, 'truncation.strategy'],
    [{ truncation: { maxLength: 5, direction: 'up' as 'left' } }, 'truncation.direction'],
    [{ padding: { length: 2 ** 30 } }, 'padding.length'],
    [{ padding: { multipleOf: -1 } }, 'padding.multipleOf'],
  ])('%j is refused', (options, label) => {
    expect(() => tokenizer.encode('a b c d e f', options)).toThrow(label);
  });
});

describe('a definition', () => {
  const bpe = { type: 'BPE', vocab: { a: 0, b: 1, ab: 2 }, merges: [['a', 'b']] };
  it.each<[string, unknown, string]>([
    ['nothing', null, 'tokenizer: expected an object, got null'],
    ['no model', {}, 'tokenizer.model: expected an object, got undefined'],
    ['another model', { model: { type: 'Markov' } }, 'tokenizer.model.type: expected one of BPE,'],
    ['dropout', { model: { ...bpe, dropout: 0.1 } }, 'tokenizer.model.dropout: expected none'],
    [
      'a merge of unknown tokens',
      { model: { ...bpe, merges: ['a c'] } },
      'tokenizer.model.merges: token "c"',
    ],
    [
      'a merge of one token',
      { model: { ...bpe, merges: ['ab'] } },
      'tokenizer.model.merges[0]: expected two tokens',
    ],
    [
      'an id that is none',
      { model: { ...bpe, vocab: { a: -1 } } },
      'tokenizer.model.vocab["a"]: expected an integer',
    ],
    [
      'another step',
      { model: bpe, normalizer: { type: 'Rot13' } },
      'tokenizer.normalizer.type: expected one of Bert',
    ],
    [
      'a pattern that refers back',
      {
        model: bpe,
        pre_tokenizer: { type: 'Split', pattern: { Regex: String.raw`(a)\1` }, behavior: 'Isolated' },
      },
      'tokenizer.pre_tokenizer.pattern.Regex: regular expression: unsupported',
    ],
    [
      'a template with a token that there is not',
      {
        model: bpe,
        post_processor: {
          type: 'TemplateProcessing',
          single: [{ SpecialToken: { id: 'x', type_id: 0 } }],
          pair: [],
          special_tokens: {},
        },
      },
      'tokenizer.post_processor.single[0].SpecialToken.id: "x" is not among the special tokens',
    ],
  ])('with %s is refused', (_title, definition, message) => {
    expect(() => createTokenizer(definition)).toThrow(message);
  });

  it('may hold merges as lines of text, with a comment', () => {
    const tokenizer = createTokenizer({ model: { ...bpe, merges: ['#version: 0.2', 'a b'] } });
    expect([...tokenizer.toIds('abba')]).toEqual([2, 1, 0]);
  });

  it('gives added tokens the ids of the model, and new ones from its end on', () => {
    const added_tokens = [{ id: 7, content: 'b' }, { id: 9, content: 'new', special: true }, { content: '' }];
    const tokenizer = createTokenizer({ model: bpe, added_tokens });
    expect(tokenizer.addedTokens.map(({ id, content, special }) => [id, content, special])).toEqual([
      [1, 'b', false],
      [3, 'new', true],
    ]);
    expect(tokenizer.vocabularySize).toBe(4);
    expect([tokenizer.idToToken(3), tokenizer.idToToken(4), tokenizer.idToToken(-1)]).toEqual([
      'new',
      undefined,
      undefined,
    ]);
    expect([tokenizer.tokenToId('new'), tokenizer.tokenToId('x')]).toEqual([3, undefined]);
    expect(tokenizer.decode([0, 99, 3], { skipSpecialTokens: true })).toBe('a');
  });

  it('may have no word for what it needs one for', () => {
    const tokenizer = createTokenizer({ model: { type: 'WordLevel', vocab: { a: 0 }, unk_token: '?' } });
    expect(() => tokenizer.encode('b')).toThrow('tokenizer.model.unk_token: "?" is not in the vocabulary');
    expect(() => tokenizer.encode(5 as unknown as string)).toThrow(TypeError);
  });
});
