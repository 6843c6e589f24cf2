import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createTokenizer, type Tokenizer } from '../../../src/core/tokenization/tokenizer.ts';
import { runs } from '../../thorough.ts';

const golden = JSON.parse(
  gunzipSync(readFileSync(new URL('reference/golden.json.gz', import.meta.url))).toString(),
) as { readonly cases: readonly { readonly name: string; readonly definition: object }[] };

const mutationsOfEach = Math.ceil(runs(5000) / golden.cases.length);

type Random = () => number;

/** Mulberry32. */
function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pick = <Item>(items: readonly Item[], random: Random): Item =>
  items[Math.floor(random() * items.length)]!;

const types = [
  'BPE',
  'WordPiece',
  'WordLevel',
  'Unigram',
  'Sequence',
  'ByteLevel',
  'Metaspace',
  'Whitespace',
  'Split',
  'Replace',

  'NFC',
  'NFKD',
  'Lowercase',
  'Strip',
  'Prepend',
  'BertNormalizer',
  'Precompiled',
  'TemplateProcessing',
  'Fuse',
  'CTC',
];
const patterns = [
  '(',
  '[a',
  'a{3,1}',
  '(?<=a+)b',
  String.raw`\p{Nope}`,
  '(?>a*)a',
  '(a*)*',
  '',
  '^',
  String.raw`\b`,
  'x++',
  '(?i:k)',
  '[^a&&b]',
];
const values: readonly unknown[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  1e9,
  2 ** 32,
  1e300,
  '',
  'a',
  ' ',
  '▁',
  '\uD800',
  '😀',
  'x'.repeat(5000),
  [],
  {},
  [[]],
  [null],
  { type: 'Sequence' },
  { String: 'a' },
  { Regex: '.' },
];

/** A copy with one thing changed, at a depth of one's choice. */
function mutate(value: unknown, random: Random, depth: number): unknown {
  const isBranch = typeof value === 'object' && value !== null;
  if (depth === 0 || !isBranch) return change(value, random);
  const keys = Object.keys(value);
  if (keys.length === 0) return change(value, random);
  const key = pick(keys, random);
  if (Array.isArray(value)) {
    const copy: unknown[] = [...value];
    const action = random();
    if (action < 0.1) copy.splice(Number(key), 1);
    else if (action < 0.2) copy.splice(Number(key), 0, structuredClone(pick(value as unknown[], random)));
    else copy[Number(key)] = mutate(copy[Number(key)], random, depth - 1);
    return copy;
  }
  const copy: Record<string, unknown> = { ...value };
  if (random() < 0.1) delete copy[key];
  else copy[key] = mutate(copy[key], random, depth - 1);
  return copy;
}

function change(value: unknown, random: Random): unknown {
  const action = random();
  if (typeof value === 'string' && action < 0.3) return pick(types, random);
  if (typeof value === 'string' && action < 0.45) return pick(patterns, random);
  if (typeof value === 'string' && action < 0.7) {
    const at = Math.floor(random() * value.length);
    return (
      value.slice(0, at) + pick(['', '(', '*', '\\', '"', ' ', '\u0301', 'é'], random) + value.slice(at + 1)
    );
  }
  if (typeof value === 'number' && action < 0.5) return value + pick([1, -1, 0.5, 1000], random);
  if (typeof value === 'object' && action < 0.2)
    return {
      type: 'Sequence',
      normalizers: [value],
      pretokenizers: [value],
      decoders: [value],
      processors: [value],
    };
  return pick(values, random);
}

const texts = ['Hello, wörld! 123', ' <s>[CLS]<|endoftext|> 😀👍🏽e\u0301\r\n\u00ad的', '', 'aaaa '.repeat(40)];

/** Every error is one that says what is wrong. */
function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    expect(error).toSatisfy((thrown) => thrown instanceof TypeError || thrown instanceof RangeError);
    expect((error as Error).message).toMatch(/^(?:tokenizer|truncation|padding)[\w.[\]"…]*.*: ./su);
    return undefined;
  }
}

function use(tokenizer: Tokenizer): void {
  for (const text of texts) {
    const encoding = attempt(() => tokenizer.encode(text));
    if (!encoding) continue;
    const count = encoding.ids.length;
    expect(
      [encoding.tokens, encoding.typeIds, encoding.wordIds, encoding.attentionMask].map(
        ({ length }) => length,
      ),
    ).toEqual([count, count, count, count]);
    expect(encoding.offsets.length).toBe(2 * count);
    for (let index = 0; index < count; index++) {
      expect(encoding.offsets[2 * index]).toBeLessThanOrEqual(encoding.offsets[2 * index + 1]!);
      expect(encoding.offsets[2 * index + 1]).toBeLessThanOrEqual(text.length);
    }
    expect([...tokenizer.toIds(text)]).toEqual([...encoding.ids]);
    expect(attempt(() => tokenizer.decode(encoding.ids)) ?? '').toBeTypeOf('string');
  }
}

describe.each(golden.cases)('$name, mutated', ({ name, definition }) => {
  it('works, or says what is wrong', { timeout: 120_000 }, () => {
    const random = createRandom(
      [...name].reduce((seed, character) => seed * 31 + character.charCodeAt(0), 7),
    );
    let working = 0;
    for (let count = 0; count < mutationsOfEach; count++) {
      let mutated: unknown = definition;
      for (let times = 1 + Math.floor(3 * random()); times > 0; times--) {
        mutated = mutate(mutated, random, 1 + Math.floor(6 * random()));
      }
      const tokenizer = attempt(() => createTokenizer(mutated));
      if (!tokenizer) continue;
      working++;
      use(tokenizer);
    }
    expect(working).toBeGreaterThan(0);
    expect(working).toBeLessThan(mutationsOfEach);
  });
});
