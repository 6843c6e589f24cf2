import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hermesFormat } from '../../../src/core/chat/tool-calls/rows.ts';
import { Automaton, dead } from '../../../src/core/grammar/engine/automaton.ts';
import { decimalRange } from '../../../src/core/grammar/schemas/decimal-range.ts';
import { text } from '../../../src/core/grammar/languages/expression.ts';
import type { GrammarMatcher } from '../../../src/core/grammar/engine/matcher.ts';
import { Triples, createVocabulary } from '../../../src/core/grammar/engine/vocabulary.ts';
import { utf8Bytes, utf8Sequences } from '../../../src/core/grammar/languages/utf8.ts';
import { createRng } from '../../../src/core/sampling/rng.ts';
import { schemas } from './schemas.ts';
import { accepts, allowedTokens, jsonPieces, toyVocabulary } from './walk.ts';
import { runs } from '../../thorough.ts';
import { answerGrammar, compileGrammar, createProgram, jsonSchemaGrammar } from './all-at-once.ts';

const utf8 = (value: string): Uint8Array => new TextEncoder().encode(value);

test('UTF-8 sequences of a range hold its code points and no others', () => {
  const codePoint = fc.oneof(
    fc.nat(0x10ffff),
    fc.constantFrom(0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000),
  );
  fc.assert(
    fc.property(codePoint, codePoint, codePoint, (a, b, probe) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      if (probe >= 0xd800 && probe <= 0xdfff) return;
      const bytes = utf8Bytes(String.fromCodePoint(probe));
      const isIn = utf8Sequences([from, to]).some(
        (ranges) =>
          ranges.length === bytes.length &&
          ranges.every(([low, high], index) => bytes[index]! >= low && bytes[index]! <= high),
      );
      expect(isIn).toBe(probe >= from && probe <= to);
    }),
    { numRuns: runs(1000) },
  );
});

test('decimals between two bounds are all there is, and all are there', () => {
  const bound = fc.record({
    value: fc.oneof(
      fc.integer({ min: -1200, max: 1200 }),
      fc.integer({ min: -99999, max: 99999 }).map((value) => value / 1000),
    ),
    exclusive: fc.boolean(),
  });
  const probes = fc.array(
    fc.integer({ min: -130000, max: 130000 }).map((value) => value / 100),
    { minLength: 5, maxLength: 5 },
  );
  fc.assert(
    fc.property(bound, bound, probes, (a, b, values) => {
      const [low, high] = a.value <= b.value ? [a, b] : [b, a];
      const range = decimalRange(low, high, { fractionDigits: 3 });
      for (const value of [...values, low.value, high.value]) {
        const isAbove = low.exclusive ? value > low.value : value >= low.value;
        const isBelow = high.exclusive ? value < high.value : value <= high.value;
        const isIn = isAbove && isBelow;
        expect({
          value,
          isIn: accepts({ type: 'choice', items: [text('x'), range] }, String(value)),
        }).toEqual({ value, isIn });
      }
    }),
    { numRuns: runs(200) },
  );
});

describe('a mask allows exactly the tokens that can be read', () => {
  const vocabulary = toyVocabulary(...jsonPieces, 'x'.repeat(40), '\u0001', 'ééé', 'a\u2028b', 'a\u202ab');
  const tokens = Array.from({ length: vocabulary.maskLength * 32 }, (_, token) => token);
  // The reference isn't told the keys that have been written.
  const { 'three of any name': _distinct, ...others } = schemas;
  test.each(Object.entries(others))('%s', (_, schema) => {
    const grammar = compileGrammar(jsonSchemaGrammar(schema), vocabulary);
    const reference = new Automaton(createProgram(jsonSchemaGrammar(schema)));
    const rng = createRng(5);
    const matcher = grammar.createMatcher();
    let state = reference.start();
    for (let step = 0; step < 25; step++) {
      const readable = tokens.filter((token) => {
        if (vocabulary.endTokens.has(token)) return state.mayEnd;
        let id = vocabulary.bytesOf(token) ? state.id : dead;
        for (const byte of vocabulary.bytesOf(token) ?? []) id = reference.next(id, byte);
        return id !== dead;
      });
      expect(allowedTokens(matcher.mask())).toEqual(readable);
      const token = readable[Math.floor(rng.next() * readable.length)]!;
      matcher.accept(token);
      if (vocabulary.endTokens.has(token)) break;
      for (const byte of vocabulary.bytesOf(token)!) state = reference.state(reference.next(state.id, byte));
    }
  });
});

describe('free text', () => {
  const vocabulary = toyVocabulary(...jsonPieces, 'hello"', '","', '\\n', 'hell');
  const pieces = new Map(
    Array.from({ length: vocabulary.maskLength * 32 }, (_, token) => [
      new TextDecoder().decode(vocabulary.bytesOf(token)),
      token,
    ]),
  );
  const isFree = (schema: unknown, written: string, piece: string): boolean => {
    const matcher = compileGrammar(jsonSchemaGrammar(schema), vocabulary).createMatcher();
    for (const byte of Buffer.from(written)) matcher.accept(byte);
    return matcher.isFree(pieces.get(piece)!);
  };
  const string = { type: 'string' };
  const list = { type: 'array', items: string };

  test.each<[name: string, schema: object, written: string, piece: string, expected: boolean]>([
    ['a word of a string', string, '"ab ', 'hello', true],
    ['a word of a short string', { ...string, maxLength: 20 }, '"', 'hello', true],
    ['a word after a beginning that is given', { ...string, pattern: '^a.*$' }, '"a', 'hello', true],
    ['characters of several bytes', string, '"', '日本', true],
    ['an escape', string, '"', '\\n', true],
    ['an escaped quote', string, '"', '\\"', true],
    ['the quote that opens a string', string, '', '"', false],
    ['the quote that closes it', string, '"ab', '"', false],
    ['a word with that quote', string, '"', 'hello"', false],
    ['two quotes with a comma, within free text again', list, '["a', '","', false],
    ['digits', { type: 'integer' }, '', '12', false],
    ['a value to choose', { enum: ['hello', 'hell'] }, '"', 'hell', false],
    ['letters of a narrow pattern', { ...string, pattern: '^[a-z]*$' }, '"', 'hello', false],
    ['a name', { properties: { hello: true } }, '{"', 'hello', false],
    ['a name of any kind', { type: 'object' }, '{"', 'hello', true],
    ['a word of a constant', { type: 'boolean' }, '', 'true', false],
  ])('%s: %j, %s + %s is %s', (_, schema, written, piece, expected) => {
    expect(isFree(schema, written, piece)).toBe(expected);
  });

  test('around calls', () => {
    const grammar = answerGrammar({
      response: { type: 'text' },
      calls: {
        tools: [{ name: 'ab', parameters: { type: 'object' } }],
        choice: 'optional',
        parallel: false,
        format: hermesFormat.constraint,
      },
    });
    const matcher = compileGrammar(grammar!, vocabulary).createMatcher();
    expect(matcher.isFree(pieces.get('hello"')!)).toBe(true);
    for (const byte of Buffer.from('hello\n<tool_call>')) matcher.accept(byte);
    expect(matcher.isFree('\n'.charCodeAt(0))).toBe(false);
    for (const byte of Buffer.from('\n{"name": "ab", "arguments": {')) matcher.accept(byte);
    expect(matcher.isFree('"'.charCodeAt(0))).toBe(false);
    matcher.accept('"'.charCodeAt(0));
    expect(matcher.isFree(pieces.get('hello')!)).toBe(true);
  });
});

describe('masks are those of reading each token byte by byte', () => {
  const repeated = ['a', 'é', '日', ' '].flatMap((character) =>
    [2, 3, 7, 40].map((length) => character.repeat(length)),
  );
  const vocabulary = toyVocabulary(
    ...jsonPieces,
    ...repeated,
    'aé',
    'a😀b',
    'name',
    'names"',
    '2024-',
    '\u2028a',
    'a<b',
  );

  test.each(Object.entries(schemas))('%s', (_, schema) => {
    const expression = jsonSchemaGrammar(schema);
    const grammar = compileGrammar(expression, vocabulary);
    const automaton = new Automaton(createProgram(expression));
    const asked = new Set<number>();
    // Each byte for itself: from the last to the first, while a mask asks from the first to the last.
    const after = (from: number, bytes: Uint8Array): number =>
      bytes.reduce((state, byte) => {
        if (!asked.has(state)) for (let own = 255; own >= 0; own--) automaton.next(state, own);
        asked.add(state);
        return automaton.next(state, byte);
      }, from);
    const rng = createRng(7);
    for (let walk = 0; walk < 2; walk++) {
      const matcher = grammar.createMatcher();
      let state = automaton.start().id;
      for (let step = 0; step < 8; step++) {
        const allowed = allowedTokens(matcher.mask()).filter((token) => !vocabulary.endTokens.has(token));
        const expected = Array.from(
          { length: 256 + jsonPieces.length + repeated.length + 7 },
          (__, token) => token,
        );
        expect(allowed).toEqual(
          expected.filter((token) => after(state, vocabulary.bytesOf(token)!) !== dead),
        );
        if (allowed.length === 0) break;
        const token = allowed[Math.floor(rng.next() * allowed.length)]!;
        if (automaton.state(after(state, vocabulary.bytesOf(token)!)).endsItem) break;
        matcher.accept(token);
        state = after(state, vocabulary.bytesOf(token)!);
      }
    }
  });
});

describe('runs of characters that a pattern repeats', () => {
  const words = ['a', 'z', 'A', 'Z', '7', '-', '/', '.', ' ', '~', 'é', '日'].flatMap((first) =>
    ['a', 'q', 'G', '0', '_', ':', '%', '[', 'ü'].flatMap((last) => [
      first + last,
      first + last.repeat(3),
      (first + last).repeat(4),
    ]),
  );
  const counts = { covered: 0 };
  const toy = toyVocabulary(...new Set(words));
  const vocabulary: typeof toy = {
    ...toy,
    addPlain(mask, node) {
      counts.covered += toy.plain.firstTokens[toy.plain.ends[node]!]! - toy.plain.firstTokens[node]!;
      toy.addPlain(mask, node);
    },
  };
  const { pattern, ...others } = {
    pattern: (source: string) => ({ type: 'string', pattern: source }),
    uri: { type: 'string', format: 'uri' },
    email: { type: 'string', format: 'email' },
    uuid: { type: 'string', format: 'uuid' },
  };
  test.each([
    ['lower case', pattern('^[a-z]{2,9}$'), 'a'],
    ['hexadecimal digits', pattern('^[0-9A-Fa-f]+/[g-z]*$'), 'a/'],
    ['all but slashes', pattern('^([^/]*/)+$'), 'a'],
    ['words with marks', pattern('^\\w+([-.]\\w+)*$'), 'a'],
    ['optional parts', pattern('^[a-z]?[A-Z]*[0-9]{0,3}$'), ''],
    ['one of two runs', pattern('^([a-z_]{3,}|[a-z0-9]{2})$'), ''],
    ['a look-ahead', pattern('^(?!aa)[a-z]+$'), ''],
    ['bounded text', { type: 'string', minLength: 2, maxLength: 5 }, 'a'],
    ['an address', others.uri, 'http://a'],
    ['an e-mail address', others.email, 'a'],
    ['an identifier', others.uuid, '1234'],
  ])('%s: the tokens of each mask are those that can be read byte by byte', (_, schema, start) => {
    const grammar = compileGrammar(jsonSchemaGrammar(schema), vocabulary);
    const automaton = new Automaton(createProgram(jsonSchemaGrammar(schema)));
    const matcher = grammar.createMatcher();
    let state = automaton.after(automaton.start(), utf8(`"${start}`));
    for (const byte of utf8(`"${start}`)) matcher.accept(byte);
    const rng = createRng(3);
    for (let step = 0; step < 12; step++) {
      const allowed = allowedTokens(matcher.mask()).filter((token) => !vocabulary.endTokens.has(token));
      const expected = Array.from({ length: 256 + words.length }, (__, token) => token).filter((token) => {
        const bytes = vocabulary.bytesOf(token);
        return bytes !== undefined && automaton.after(state, bytes).id !== dead;
      });
      expect(allowed).toEqual(expected);
      if (allowed.length === 0) break;
      const token = allowed[Math.floor(rng.next() * allowed.length)]!;
      matcher.accept(token);
      state = automaton.after(state, vocabulary.bytesOf(token)!);
    }
  });

  test.each([
    ['^[a-z]*$', 'a'],
    ['^[0-9A-Fa-f]+$', ''],
    ['^[^/]*/$', ''],
  ])('%s: whole branches of tokens are allowed at once', (source, start) => {
    counts.covered = 0;
    const matcher = compileGrammar(jsonSchemaGrammar(pattern(source)), vocabulary).createMatcher();
    for (const byte of utf8(`"${start}`)) matcher.accept(byte);
    matcher.mask();
    expect(counts.covered).toBeGreaterThan(9);
  });
});

test('triples have one number each, whatever they are', () => {
  const part = fc.oneof(fc.nat(3), fc.integer({ min: -(2 ** 40), max: 2 ** 41 }));
  fc.assert(
    fc.property(fc.array(fc.tuple(part, part, part), { maxLength: 600 }), (all) => {
      const triples = new Triples<string>();
      const known = new Map<string, number>();
      for (const [a, b, c] of all) {
        const id = triples.idOf(a, b, c);
        const key = `${a},${b},${c}`;
        expect(known.get(key) ?? triples.size).toBe(id);
        expect(triples.values[id]).toBe(known.has(key) ? key : undefined);
        known.set(key, id);
        triples.values[id] = key;
      }
      expect(triples.size).toBe(known.size);
    }),
    { numRuns: runs(100) },
  );
});

describe('lists of different items', () => {
  const takes = (matcher: GrammarMatcher, token: number): boolean => {
    try {
      matcher.accept(token);
      return true;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return false;
    }
  };
  const vocabulary = toyVocabulary(...jsonPieces, '"a"', '"a', 'a","b', '","a"', '1,1', ',1', '1]');
  test.each([
    [{ type: 'array', items: { enum: ['a', 'b', 'c'] }, uniqueItems: true }],
    [{ type: 'array', items: { type: 'string', maxLength: 1 }, uniqueItems: true, maxItems: 4 }],
    [{ type: 'array', items: { type: 'integer', minimum: 0, maximum: 11 }, uniqueItems: true, minItems: 3 }],
    [{ type: 'array', items: { type: 'boolean' }, uniqueItems: true, minItems: 2 }],
    [{ type: 'array', items: { enum: ['a', 'b', 1] }, uniqueItems: true, contains: { const: 'b' } }],
    [
      {
        type: 'array',
        items: { enum: ['a', 'b', 'c', 1] },
        uniqueItems: true,
        minItems: 2,
        contains: { enum: ['a', 'b'] },
        maxContains: 1,
      },
    ],
  ])('%j', (schema) => {
    const grammar = compileGrammar(jsonSchemaGrammar(schema), vocabulary);
    for (let seed = 0; seed < runs(20); seed++) {
      const rng = createRng(seed);
      const matcher = grammar.createMatcher();
      const accepted: number[] = [];
      for (let step = 0; step < 60; step++) {
        const allowed = allowedTokens(matcher.mask());
        expect(allowed).not.toEqual([]);
        // Any byte that the matcher takes is allowed, and it takes whatever is; a refusal leaves it as it was.
        const taken = new Set(allowed.filter((token) => !vocabulary.endTokens.has(token)));
        for (let byte = 0; byte < 256; byte++) {
          if (!taken.has(byte) && takes(matcher, byte)) expect.unreachable(`takes ${byte}`);
        }
        for (const token of taken) {
          const trial = grammar.createMatcher();
          for (const before of accepted) trial.accept(before);
          if (!takes(trial, token)) expect.unreachable(`refuses ${token}`);
        }
        const token = allowed[Math.floor(rng.next() * allowed.length)]!;
        matcher.accept(token);
        if (vocabulary.endTokens.has(token)) break;
        accepted.push(token);
      }
      if (!matcher.mayEnd) continue;
      const written = accepted.map((token) => new TextDecoder().decode(vocabulary.bytesOf(token)));
      const items = JSON.parse(written.join('')) as unknown[];
      expect(new Set(items).size).toBe(items.length);
    }
  });
});

test('sequences with one grammar do not disturb each other', () => {
  const vocabulary = toyVocabulary();
  const grammar = compileGrammar(jsonSchemaGrammar({ enum: ['ab', 'cd'] }), vocabulary);
  const [first, second] = [grammar.createMatcher(), grammar.createMatcher()];
  const bytesOf = (value: string): number[] => [...new TextEncoder().encode(value)];
  for (const byte of bytesOf('"a')) first.accept(byte);
  for (const byte of bytesOf('"cd"')) second.accept(byte);
  expect(allowedTokens(first.mask())).toEqual(bytesOf('b'));
  expect(allowedTokens(second.mask())).toEqual([256]);
});

test('states that were forgotten are made again', () => {
  const automaton = new Automaton(createProgram(jsonSchemaGrammar({ type: 'string', minLength: 25_000 })));
  const early = automaton.start();
  let id = automaton.next(early.id, 0x22);
  for (let index = 0; index < 25_000; index++) id = automaton.next(id, 0x61);
  const late = automaton.state(id);
  automaton.tidy();
  expect(automaton.generation).toBe(early.generation + 1);
  expect(automaton.renew(late).mayEnd).toBe(false);
  expect(automaton.state(automaton.next(automaton.renew(late).id, 0x22)).mayEnd).toBe(true);
  expect(automaton.state(automaton.next(automaton.renew(early).id, 0x22)).mayEnd).toBe(false);
});

test('parts of characters are left out where no token could complete them', () => {
  const tokens = ['"', 'a', '\u00e9'].map((value) => new TextEncoder().encode(value));
  const all = [...tokens, Uint8Array.of(0xc3)];
  const vocabulary = createVocabulary({
    size: 5,
    endTokens: new Set([4]),
    bytesOf: (token) => all[token] ?? new Uint8Array(),
  });
  const matcher = compileGrammar(jsonSchemaGrammar({ type: 'string' }), vocabulary).createMatcher();
  matcher.accept(0);
  expect(allowedTokens(matcher.mask())).toEqual([0, 1, 2]);
});

test('an end token may be the last part of the text', () => {
  const values = ['a', '<|call|>', '<'].map((value) => new TextEncoder().encode(value));
  const vocabulary = createVocabulary({
    size: 3,
    endTokens: new Set([1]),
    bytesOf: (token) => values[token]!,
  });
  const matcher = compileGrammar(text('a<|call|>'), vocabulary).createMatcher();
  expect(allowedTokens(matcher.mask())).toEqual([0]);
  matcher.accept(0);
  expect(allowedTokens(matcher.mask())).toEqual([1, 2]);
});
