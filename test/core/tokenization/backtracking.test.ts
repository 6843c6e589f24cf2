import { describe, expect, it } from 'vitest';
import { createRegularExpressionPattern } from '../../../src/core/tokenization/patterns/read-pattern.ts';

const o200k = String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`;

describe('patterns of tokenizers', () => {
  it.each([
    o200k,
    String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
    String.raw`<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+`,
    String.raw`[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_\x60{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
    String.raw` ?[^(\s|[.,!?…。，、।۔،])]+`,
    String.raw`\p{N}{1,3}(?=(?:\p{N}{3})*(?:\P{N}|$))`,
    String.raw`\d+(?:[.,]\d+)*`,
    String.raw`(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?(?=[\s\p{L}])(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|(?:\r?\n)+(?!\r?\n)|\s+`,
    '(?:ab|cd)+x',
    '(?>a+)+b',
    String.raw`\p{N}{1,3}+| ?\p{L}+`,
    '[\\r\\n]',
    '',
  ])('that are harmless are read: %s', (source) => {
    expect(() => createRegularExpressionPattern('pattern', source)).not.toThrow();
  });

  it.each([
    '(a+)+$',
    '(a*)*b',
    '(?:a|a)*b',
    '(?:a|[ab])+c',
    String.raw`(\s*\w+)*!`,
    '(?:x(?:a+)+)y',
    '(?=(a+)+b)a',
    '(a?){50}a{50}',
    'a*a*a*b',
    String.raw`\w+\s?\w*\w*!`,
    '(.*,){20}x+(.*)+',
  ])('that could hold a worker are refused by name: %s', (source) => {
    expect(() => createRegularExpressionPattern('pre_tokenizer.pattern.Regex', source)).toThrow(
      /^pre_tokenizer\.pattern\.Regex: the pattern ".*" repeats/,
    );
  });
});
