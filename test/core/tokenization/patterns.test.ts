import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { toAlignedText } from '../../../src/core/tokenization/aligned-text.ts';
import { parseOniguruma } from '../../../src/core/tokenization/patterns/oniguruma/parse.ts';
import { createRegularExpressionPattern } from '../../../src/core/tokenization/patterns/read-pattern.ts';
import { splitBehaviors, splitPieces, type SplitBehavior } from '../../../src/core/tokenization/pieces.ts';

const golden = JSON.parse(
  gunzipSync(readFileSync(new URL('reference/golden.json.gz', import.meta.url))).toString(),
) as {
  readonly samples: readonly string[];
  readonly patterns: readonly { readonly pattern: string; readonly pieces: readonly string[][] }[];
};

function split(text: string, source: string, behavior: SplitBehavior = 'Isolated'): string[] {
  const pattern = createRegularExpressionPattern('pattern', source);
  const whole = toAlignedText(text, false);
  const count = Number(text.length > 0);
  const given = { text: whole, bounds: Int32Array.of(0, text.length), count, asBytes: false };
  const pieces = splitPieces(given, pattern, { behavior });
  return Array.from({ length: pieces.count }, (_, piece) =>
    text.slice(pieces.bounds[2 * piece], pieces.bounds[2 * piece + 1]),
  );
}

describe('regular expressions of Oniguruma', () => {
  it.each(golden.patterns)('$pattern matches what it does there', ({ pattern, pieces }) => {
    golden.samples.forEach((text, index) => expect(split(text, pattern)).toEqual(pieces[index]));
  });

  // Expected values: tokenizers 0.22.1, Split with "isolated".
  it.each([
    [String.raw`\R{2}[ab]`, 'c\r\na', ['c\r\na']],
    ['[^a]^', "b'c-\n", ["b'c-\n"]],
    ['^', 'a\nb\n', ['a\n', 'b\n']],
    [String.raw`(?>\p{N})?+`, 'é2A', ['é', '2', 'A']],
  ])('%s cuts %j', (pattern, text, pieces) => {
    expect(split(text, pattern)).toEqual(pieces);
  });

  it.each([
    ['(', 'missing )'],
    ['a)', 'unmatched )'],
    ['[a', 'unexpected end'],
    ['*a', 'nothing to repeat'],
    ['a{3,1}', 'numbers out of order'],
    ['a{999999}', 'too big a number'],
    [String.raw`(a)\1`, String.raw`unsupported \1`],
    [String.raw`\X`, String.raw`unsupported \X`],
    [String.raw`\p{Elvish}`, 'unknown property "Elvish"'],
    ['[z-a]', 'empty range'],
    ['(?(1)a|b)', 'unsupported group'],
    ['('.repeat(200), 'nested too deeply'],
  ])('%s is refused', (source, message) => {
    expect(() => parseOniguruma(source)).toThrow(message);
    expect(() => createRegularExpressionPattern('tokenizer.here', source)).toThrow('tokenizer.here: ');
  });
});

it('a nested set stands before ranges, since JavaScriptCore rejects it behind them', () => {
  expect(parseOniguruma(String.raw`[^a-z\d]`).set).toMatch(/^\[\^\[.*\]a-z\]$/u);
});

describe('what becomes of a match', () => {
  const expected: Record<SplitBehavior, string> = {
    Removed: 'the final countdown',
    Isolated: 'the - final - - countdown',
    MergedWithPrevious: 'the- final- - countdown',
    MergedWithNext: 'the -final - -countdown',
    Contiguous: 'the - final -- countdown',
  };

  it.each(splitBehaviors)('%s', (behavior) => {
    expect(split('the-final--countdown', '-', behavior).join(' ')).toBe(expected[behavior]);
  });
});
