import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Encoding } from '../../../src/core/tokenization/encoding.ts';
import { createTokenizer, type Tokenizer } from '../../../src/core/tokenization/tokenizer.ts';

interface Expected {
  readonly ids: number[];
  readonly tokens: string[];
  readonly offsets: number[];
  readonly words: number[];
}

interface Details extends Expected {
  readonly typeIds: number[];
  readonly attention: number[];
  readonly special: number[];
  readonly overflowing?: Details[];
}

interface Setting {
  readonly truncation: unknown;
  readonly padding: unknown;
  readonly first: number;
  readonly second: number | null;
  readonly expected: Details;
}

interface Case {
  readonly name: string;
  readonly definition: Record<string, unknown>;
  readonly texts: readonly (Expected & { readonly decoded: string })[];
  readonly pairs: readonly Setting[];
  readonly plain: readonly { readonly text: number; readonly ids: number[] }[];
}

const golden = JSON.parse(
  gunzipSync(readFileSync(new URL('reference/golden.json.gz', import.meta.url))).toString(),
) as { readonly texts: readonly string[]; readonly cases: readonly Case[] };

/** The reference counts characters. */
function toCharacters(text: string, offsets: Uint32Array): number[] {
  return Array.from(offsets, (offset) => Array.from(text.slice(0, offset)).length);
}

function summarize(encoding: Encoding, text: string): Expected {
  return {
    ids: [...encoding.ids],
    tokens: [...encoding.tokens],
    offsets: toCharacters(text, encoding.offsets),
    words: [...encoding.wordIds],
  };
}

/** Of what overflows, the parts themselves, not what overflows from them in turn. */
function detail(encoding: Encoding, places: (offsets: Uint32Array) => number[]): Details {
  return {
    ...detailPart(encoding, places),
    overflowing: encoding.overflowing.map((part) => detailPart(part, places)),
  };
}

function detailPart(encoding: Encoding, places: (offsets: Uint32Array) => number[]): Details {
  return {
    ids: [...encoding.ids],
    tokens: [...encoding.tokens],
    offsets: places(encoding.offsets),
    words: [...encoding.wordIds],
    typeIds: [...encoding.typeIds],
    attention: [...encoding.attentionMask],
    special: [...encoding.specialTokensMask],
  };
}

describe.each(golden.cases)('$name', ({ definition, texts, pairs, plain }) => {
  const tokenizer: Tokenizer = createTokenizer(definition);

  it('finds the tokens of the Rust library, and where they are', () => {
    golden.texts.forEach((text, index) => {
      const { decoded: _decoded, ...expected } = texts[index]!;
      expect(summarize(tokenizer.encode(text), text)).toEqual(expected);
    });
  });

  it('finds the same ids and counts alone', () => {
    golden.texts.forEach((text, index) => {
      const { ids } = texts[index]!;
      expect([...tokenizer.toIds(text)]).toEqual(ids);
      expect(tokenizer.countTokens(text)).toBe(ids.length);
    });
  });

  it('decodes like the Rust library', () => {
    texts.forEach(({ ids, decoded }, index) => {
      expect(tokenizer.decode(ids, { skipSpecialTokens: index % 2 === 0 })).toBe(decoded);
    });
  });

  it('truncates, pads and puts pairs together like the Rust library', () => {
    for (const { truncation, padding, first, second, expected } of pairs) {
      const limited = createTokenizer({ ...definition, truncation, padding });
      const pair = second === null ? undefined : golden.texts[second]!;
      const encoding = limited.encode(golden.texts[first]!, { pair });
      // All characters of these texts are single code units.
      expect(detail(encoding, (offsets) => [...offsets])).toEqual(expected);
      expect([...limited.toIds(golden.texts[first]!, { pair })]).toEqual(expected.ids);
    }
  });

  it('puts one text together with others as pair by pair, and cuts the others', () => {
    const [first, ...others] = golden.texts;
    const together = tokenizer.pairWith(first!);
    for (const pair of others) {
      const whole = tokenizer.encode(first!, { pair, truncation: false, padding: false });
      for (const maxLength of [undefined, together.length + 1, whole.ids.length - 1]) {
        if (maxLength !== undefined && !(maxLength > together.length)) continue;
        const truncation =
          maxLength === undefined ? false : ({ maxLength, strategy: 'only_second' } as const);
        const { ids, typeIds } = tokenizer.encode(first!, { pair, truncation, padding: false });
        expect(together.encode(pair, maxLength)).toEqual({ ids, typeIds });
      }
    }
    expect(() => together.encode('', together.length - 1)).toThrow(RangeError);
  });

  it('takes special tokens for text when told to', () => {
    for (const { text, ids } of plain) {
      const options = { addSpecialTokens: false, specialAsText: true };
      expect([...tokenizer.toIds(golden.texts[text]!, options)]).toEqual(ids);
    }
  });
});
