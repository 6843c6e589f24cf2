import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStopMatcher } from '../../../src/core/text/stop-sequences.ts';
import { cut, cutTexts } from './pieces.ts';
import { runs } from '../../thorough.ts';

function run(sequences: readonly string[], pieces: readonly string[]) {
  const matcher = createStopMatcher(sequences);
  const outputs: string[] = [];
  let stopped: string | null = null;
  for (const piece of pieces) {
    const match = matcher.push(piece);
    outputs.push(match.text);
    stopped = match.stopped;
  }
  outputs.push(matcher.flush());
  return { text: outputs.join(''), stopped, outputs };
}

/** The definition, in the slow way. */
function expected(sequences: readonly string[], text: string) {
  for (let end = 1; end <= text.length; end++) {
    const found = sequences
      .filter((sequence) => text.slice(0, end).endsWith(sequence))
      .toSorted((a, b) => b.length - a.length)[0];
    if (found !== undefined) return { text: text.slice(0, end - found.length), stopped: found };
  }
  return { text, stopped: null };
}

describe('createStopMatcher', () => {
  it.each([
    { sequences: ['STOP'], pieces: ['a S', 'TO', 'P b'], outputs: ['a ', '', '', ''], stopped: 'STOP' },
    { sequences: ['STOP'], pieces: ['a S', 'TO', 'AP'], outputs: ['a ', '', 'STOAP', ''], stopped: null },
    { sequences: ['STOP'], pieces: ['a STO'], outputs: ['a ', 'STO'], stopped: null },
    { sequences: ['abcd', 'bc'], pieces: ['xabcd'], outputs: ['xa', ''], stopped: 'bc' },
    { sequences: ['c', 'bc'], pieces: ['abc'], outputs: ['a', ''], stopped: 'bc' },
    { sequences: ['b', 'c'], pieces: ['c', 'b'], outputs: ['', '', ''], stopped: 'c' },
    { sequences: ['aab'], pieces: ['aa', 'a', 'b'], outputs: ['', 'a', '', ''], stopped: 'aab' },
    { sequences: ['\n\n'], pieces: ['a\n', 'b\n', '\n'], outputs: ['a', '\nb', '', ''], stopped: '\n\n' },
    { sequences: [], pieces: ['a', ''], outputs: ['a', '', ''], stopped: null },
  ])('$sequences on $pieces', ({ sequences, pieces, outputs, stopped }) => {
    expect(run(sequences, pieces)).toMatchObject({ outputs, stopped });
  });

  it('says nothing more after a stop', () => {
    const matcher = createStopMatcher(['!']);
    matcher.push('Hi!');
    expect([matcher.push('more?'), matcher.flush()]).toEqual([{ text: '', stopped: '!' }, '']);
  });

  it('rejects an empty sequence', () => {
    expect(() => createStopMatcher([''])).toThrow('sequences: expected non-empty strings, got ""');
  });

  it('finds what a whole-text search finds, for every cut', () => {
    const alphabet = fc.string({ unit: fc.constantFrom('a', 'b', '😀'), maxLength: 40 });
    const sequence = fc.string({ unit: fc.constantFrom('a', 'b', '😀', 'c'), minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(sequence, { maxLength: 4 }), cutTexts(alphabet), (sequences, { text, pieces }) => {
        expect(run(sequences, pieces)).toMatchObject(expected(sequences, text));
      }),
      { numRuns: runs(1000) },
    );
  });

  it('lets the sequence through where it is to be included', () => {
    const matcher = createStopMatcher(['STOP', 'P'], { include: true });
    expect(['a S', 'TOP b'].map((piece) => matcher.push(piece))).toEqual([
      { text: 'a ', stopped: null },
      { text: 'STOP', stopped: 'STOP' },
    ]);
    expect([matcher.withheld, matcher.push('more').text, matcher.withheld]).toEqual([2, '', 6]);
  });

  it('counts what it withholds', () => {
    const alphabet = fc.string({ unit: fc.constantFrom('a', 'b', '😀'), maxLength: 40 });
    fc.assert(
      fc.property(cutTexts(alphabet), fc.boolean(), ({ pieces }, include) => {
        const matcher = createStopMatcher(['aab', 'b😀'], { include });
        let [pushed, passed] = [0, 0];
        for (const piece of pieces) {
          pushed += piece.length;
          passed += matcher.push(piece).text.length;
          expect(matcher.withheld).toBe(pushed - passed);
        }
      }),
    );
  });

  it('never cuts a surrogate pair in two', () => {
    fc.assert(
      fc.property(cutTexts(fc.string({ unit: 'grapheme' })), ({ text, pieces }) => {
        const { outputs } = run(['zz', '😀!'], pieces);
        expect(outputs.join('')).toBe(expected(['zz', '😀!'], text).text);
        expect(outputs.some((output) => /\p{Surrogate}/u.test(output))).toBe(false);
      }),
    );
  });

  it('holds back no more than the longest sequence can need', () => {
    const matcher = createStopMatcher(['aaab']);
    const outputs = cut('a'.repeat(50), [1]).map((piece) => matcher.push(piece).text);
    expect(outputs.slice(3).every((output) => output === 'a')).toBe(true);
  });

  it('takes a sequence of a megabyte on a text of as many repetitions', () => {
    const length = 1_000_000;
    const { text, stopped } = run([`${'a'.repeat(length)}b`], cut('a'.repeat(length + 1000), [1]));
    expect([text.length, stopped]).toEqual([length + 1000, null]);
  });
});
