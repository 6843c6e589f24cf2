import { describe, expect, it } from 'vitest';
import { splitWords } from '../../../../src/core/audio/whisper/words.ts';

/** Tokens of bytes, so that a character may be spread over several. */
function wordsOf(pieces: readonly string[], spaced = true): string[] {
  const decode = (ids: readonly number[]) => ids.map((id) => pieces[id]).join('');
  return splitWords([...pieces.keys()], decode, { spaced }).map(({ text }) => text);
}

describe('splitWords', () => {
  it.each<[string[], string[]]>([
    [[], []],
    [
      [' Hel', 'lo', ' world'],
      [' Hello', ' world'],
    ],
    [['Hel', 'lo', ','], ['Hello,']],
    [
      [' one', '.', '.', '.', ' two', '!'],
      [' one...', ' two!'],
    ],
    [
      [' he', ' said', ' "', 'no', '"'],
      [' he', ' said', ' "no"'],
    ],
    [
      [' (', 'well', ')', ' ,', ' so'],
      [' (well) ,', ' so'],
    ],
    [[' 3', '-', 'D'], [' 3-D']],
    [[' ¿', ' Qué', '?'], [' ¿ Qué?']],
  ])('%j', (pieces, expected) => expect(wordsOf(pieces)).toEqual(expected));

  it.each<[string[], [number, number][]]>([
    [
      [' one', '.', '.', ' two', '!"'],
      [
        [0, 1],
        [3, 4],
      ],
    ],
    [[' "', 'no', '"'], [[1, 2]]],
    [[' 3', '.', '5', ','], [[0, 3]]],
    [[' don', "'t"], [[0, 2]]],
  ])('knows that the punctuation of %j is not said', (pieces, expected) => {
    const decode = (ids: readonly number[]) => ids.map((id) => pieces[id]).join('');
    const words = splitWords([...pieces.keys()], decode, { spaced: true });
    expect(words.map(({ spokenStart, spokenEnd }) => [spokenStart, spokenEnd])).toEqual(expected);
  });

  it('takes characters as words where there are no spaces', () => {
    expect(wordsOf(['今', '日', 'は', '、', '雨', '。'], false)).toEqual(['今', '日', 'は、', '雨。']);
  });

  it('keeps tokens together that spell one character', () => {
    const bytes = new TextEncoder().encode(' é日');
    const decode = (ids: readonly number[]) => new TextDecoder().decode(Uint8Array.from(ids));
    expect(splitWords([...bytes], decode, { spaced: false })).toEqual([
      { text: ' ', start: 0, end: 1, spokenStart: 0, spokenEnd: 1 },
      { text: 'é', start: 1, end: 3, spokenStart: 1, spokenEnd: 3 },
      { text: '日', start: 3, end: 6, spokenStart: 3, spokenEnd: 6 },
    ]);
    expect(splitWords([...bytes, 0xe6], decode, { spaced: true })).toEqual([
      { text: ' é日\uFFFD', start: 0, end: 7, spokenStart: 0, spokenEnd: 7 },
    ]);
  });
});
