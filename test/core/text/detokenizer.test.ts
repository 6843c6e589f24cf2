import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDetokenizer } from '../../../src/core/text/detokenizer.ts';
import { runs } from '../../thorough.ts';

type Decode = (ids: readonly number[]) => string;

const encoder = new TextEncoder();
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const special = 9999;

/** Byte-level: id = index into a vocabulary of byte strings. */
function byteLevelDecoder(vocabulary: readonly Uint8Array[]): Decode {
  return (ids) => {
    const bytes = ids.flatMap((id) => (id === special ? [] : [...(vocabulary[id] ?? [])]));
    return utf8.decode(Uint8Array.from(bytes));
  };
}

const singleBytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
const decodeBytes = byteLevelDecoder(singleBytes);

/** SentencePiece-like: ids below 256 are bytes, the others words; the first space of the text is stripped. */
const words = ['▁Hello', '▁world', ',', '▁', '▁▁', '日本', '\uFFFD', '▁😀', '\n'];
const byteFallback: Record<'perByte' | 'wholeRun' | 'maximalSubpart', (bytes: number[]) => string> = {
  /** The whole run of byte tokens is valid, or each of them is U+FFFD. */
  wholeRun(bytes) {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
    } catch {
      return '\uFFFD'.repeat(bytes.length);
    }
  },
  perByte(bytes) {
    let text = '';
    for (let index = 0; index < bytes.length;) {
      const length = [1, 2, 3, 4].find(
        (size) =>
          index + size <= bytes.length &&
          !byteFallback.wholeRun(bytes.slice(index, index + size)).includes('\uFFFD'),
      );
      text +=
        length === undefined ? '\uFFFD' : utf8.decode(Uint8Array.from(bytes.slice(index, index + length)));
      index += length ?? 1;
    }
    return text;
  },
  maximalSubpart: (bytes) => utf8.decode(Uint8Array.from(bytes)),
};

function metaspaceDecoder(
  fallback: keyof typeof byteFallback,
  vocabulary: readonly string[] = words,
): Decode {
  return (ids) => {
    let text = '';
    let bytes: number[] = [];
    const endRun = () => {
      text += byteFallback[fallback](bytes);
      bytes = [];
    };
    for (const id of ids) {
      if (id === special) continue;
      if (id < 256) {
        bytes.push(id);
      } else {
        endRun();
        text += (vocabulary[id - 256] ?? '').replaceAll('▁', ' ');
      }
    }
    endRun();
    return text.replace(/^ /, '');
  };
}

function stream(decode: Decode, ids: readonly number[]): string[] {
  const detokenizer = createDetokenizer(decode);
  return [...ids.map((id) => detokenizer.push(id)), detokenizer.flush()];
}

function idsOfText(text: string): number[] {
  const ids: number[] = [];
  for (const character of text) {
    const word = words.indexOf(character.replace(' ', '▁'));
    if (word >= 0) ids.push(256 + word);
    else ids.push(...encoder.encode(character));
  }
  return ids;
}

describe('createDetokenizer', () => {
  it('holds a character back until it is complete', () => {
    expect(stream(decodeBytes, [...encoder.encode('a€😀b')])).toEqual([
      'a',
      '',
      '',
      '€',
      '',
      '',
      '',
      '😀',
      'b',
      '',
    ]);
  });

  it.each([...Array(7).keys()].flatMap((first) => [...Array(7).keys()].map((second) => [first, second])))(
    'joins an emoji cut at bytes %i and %i',
    (first, second) => {
      const bytes = encoder.encode('x😀y€');
      const [a, b] = [Math.min(first!, second!) + 1, Math.max(first!, second!) + 1];
      const vocabulary = [bytes.slice(0, a), bytes.slice(a, b), bytes.slice(b)];
      const pieces = stream(byteLevelDecoder(vocabulary), [0, 1, 2]);
      expect(pieces.join('')).toBe('x😀y€');
      expect(pieces.every((piece) => !piece.includes('\uFFFD'))).toBe(true);
    },
  );

  it('gives out U+FFFD that the model wrote, at most three characters late', () => {
    const pieces = stream(metaspaceDecoder('maximalSubpart'), [...Array(50).fill(262)]);
    expect(pieces.slice(0, -1).join('')).toBe('\uFFFD'.repeat(47));
    expect(pieces.join('')).toBe('\uFFFD'.repeat(50));
  });

  it('shows an incomplete character at the end as the decoder does', () => {
    expect(stream(decodeBytes, [0x61, 0xf0, 0x9f])).toEqual(['a', '', '', '\uFFFD']);
  });

  it('begins a new text after a flush', () => {
    const detokenizer = createDetokenizer(metaspaceDecoder('perByte'));
    expect([
      detokenizer.push(256),
      detokenizer.push(257),
      detokenizer.flush(),
      detokenizer.push(257),
    ]).toEqual(['Hello', ' world', '', 'world']);
  });

  it('is decode() for any bytes, valid or not', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0xe2, 0x82, 0xac, special))),
        (ids) => {
          expect(stream(decodeBytes, ids).join('')).toBe(decodeBytes(ids));
        },
      ),
      { numRuns: runs(1000) },
    );
  });

  it('is decode() for byte strings as tokens, which may end one character and begin the next', () => {
    const vocabulary = fc.array(fc.uint8Array({ minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 8,
    });
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
    const cuts = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(text, cuts, vocabulary, (characters, lengths, noise) => {
        const bytes = encoder.encode(characters);
        const tokens: Uint8Array[] = [];
        for (let from = 0, turn = 0; from < bytes.length; turn++) {
          const length = lengths[turn % lengths.length] ?? 1;
          tokens.push(bytes.slice(from, from + length));
          from += length;
        }
        for (const all of [tokens, [...tokens, ...noise], [...noise, ...tokens]]) {
          const decode = byteLevelDecoder(all);
          const ids = all.map((_, id) => id);
          expect(stream(decode, ids).join('')).toBe(decode(ids));
        }
        expect(stream(byteLevelDecoder(tokens), [...tokens.keys()]).join('')).toBe(characters);
      }),
    );
  });

  it.each(['perByte', 'wholeRun', 'maximalSubpart'] as const)(
    'is decode() for words with byte fallback (%s)',
    (fallback) => {
      const decode = metaspaceDecoder(fallback);
      const text = fc.string({ unit: fc.constantFrom(' ', '€', '😀', '日', ',', 'é', '\n'), maxLength: 60 });
      fc.assert(
        fc.property(text, fc.integer({ min: 1, max: 9 }), (characters, gap) => {
          const ids = idsOfText(characters).flatMap((id, index) =>
            index % gap === 0 ? [special, id] : [id],
          );
          const withoutSpecialInside = idsOfText(characters);
          expect(stream(decode, withoutSpecialInside).join('')).toBe(decode(withoutSpecialInside));
          expect(stream(decode, ids).join('')).toBe(decode(ids));
        }),
      );
    },
  );

  it('decodes a bounded number of ids per token, whatever they are', () => {
    const texts: Record<string, number[]> = {
      plain: [...encoder.encode('the quick brown fox '.repeat(100))],
      emoji: [...encoder.encode('😀'.repeat(500))],
      broken: Array<number>(2000).fill(0xf0),
      space: Array<number>(2000).fill(0x20),
      special: Array<number>(2000).fill(special),
    };
    for (const [name, ids] of Object.entries(texts)) {
      let decoded = 0;
      const pieces = stream((window) => {
        decoded += window.length;
        return decodeBytes(window);
      }, ids);
      expect(pieces.join(''), name).toBe(decodeBytes(ids));
      expect(decoded / ids.length, name).toBeLessThan(32);
    }
  });

  it('keeps the space after a special token at the beginning', () => {
    const ids = [special, 259, 256, ...Array<number>(40).fill(special), 257];
    expect(stream(metaspaceDecoder('perByte'), ids).join('')).toBe(' Hello world');
  });
});

describe('a vocabulary with byte fallback and without U+FFFD', () => {
  const pieces = ['▁a', '日', '▁', 'é', '\n'];
  const characters = fc
    .constantFrom('\uFFFD', '𝔘', '日', 'é', '\uFFFD\uFFFD', '😀')
    .map((text) => [...encoder.encode(text)]);
  const anyBytes = fc.array(fc.integer({ min: 0x80, max: 0xff }), { minLength: 1, maxLength: 4 });
  const someWords = fc.integer({ min: 0, max: pieces.length - 1 }).map((piece) => [256 + piece]);
  /** Runs of bytes; a run that is no UTF-8 as a whole changes characters that have been streamed. */
  const written = {
    wholeRun: fc.tuple(fc.array(fc.oneof(characters, someWords)), anyBytes),
    perByte: fc.tuple(fc.array(fc.oneof(characters, anyBytes, someWords)), anyBytes),
    maximalSubpart: fc.tuple(fc.array(fc.oneof(characters, anyBytes, someWords)), anyBytes),
  };

  it.each(['wholeRun', 'perByte', 'maximalSubpart'] as const)('streams the decoded text: %s', (fallback) => {
    const decode = metaspaceDecoder(fallback, pieces);
    fc.assert(
      fc.property(written[fallback], ([parts, rest]) => {
        const ids = [...parts.flat(), ...(fallback === 'wholeRun' ? [] : rest)];
        expect(stream(decode, ids).join('')).toBe(decode(ids));
      }),
      { numRuns: runs(500) },
    );
    const ids = [...encoder.encode('\uFFFD𝔘')];
    expect(stream(decode, ids).join('')).toBe(decode(ids));
    if (fallback === 'wholeRun') expect(decode(ids)).toBe('\uFFFD𝔘');
  });

  // Until a run of bytes ends, it isn't decided. But an answer in a script that the vocabulary lacks is one run: to hold it back
  // would be to stream nothing, for the sake of texts that are broken anyway.
  it('streams characters of a run that has not ended', () => {
    const decode = metaspaceDecoder('wholeRun', pieces);
    const text = '\u0f56\u0f7c\u0f51'.repeat(20);
    const streamed = stream(decode, [...encoder.encode(text)]);
    expect(streamed.filter((piece) => piece !== '')).toEqual([...text]);
  });

  it('keeps what it streamed of a run that an invalid byte makes U+FFFD, and shows the rest as decoded', () => {
    const decode = metaspaceDecoder('wholeRun', pieces);
    const ids = [256, ...encoder.encode('日'), 0xff, 257, ...encoder.encode('é')];
    expect(decode(ids)).toBe('a\ufffd\ufffd\ufffd\ufffd日é');
    expect(stream(decode, ids).join('')).toBe('a日\ufffd\ufffd\ufffd日é');
  });
});
