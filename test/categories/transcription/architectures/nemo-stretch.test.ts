import { expect, test } from 'vitest';
import { toStretch } from '../../../../src/categories/transcription/architectures/nemo/to-stretch.ts';

/** Pieces, each heard in the frames from its place on; `subsampling` of 10 makes a frame a tenth of a second. */
function stretchOf(pieces: readonly string[], kept?: readonly [number, number]) {
  const heard = pieces.map((_, id) => ({ id, startFrame: id, endFrame: id + 1 }));
  return toStretch(heard, { pieces, subsampling: 10 }, kept);
}

test.each([
  [[' he', 'llo', ' wor', 'ld', '.'], 'hello world.'],
  [['he', ' said', ' ', ',', ' ', 'é', 't', 'é'], 'he said, été'],
  [[' 日', '本', ' 3', ' .'], '日本 3.'],
  [[' ', ' .'], '.'],
  [[' ¿', 'qué', ' ¿', 'no'], '¿qué¿no'],
  [[], ''],
])('%j is %j, as in the reference', (pieces, text) => {
  const stretch = stretchOf(pieces);
  expect(stretch.text).toBe(text);
  expect(stretch.words!.map(({ word }) => word).join(' ')).toBe(text);
  expect(stretch.tokens).toEqual(pieces.map((_, id) => id));
});

test('a word lasts from its first piece to the end of its last one', () => {
  expect(stretchOf([' he', 'llo', ' you', '.']).words).toEqual([
    { word: 'hello', startSeconds: 0, endSeconds: 0.2 },
    { word: 'you.', startSeconds: 0.2, endSeconds: 0.4 },
  ]);
});

test('words that begin elsewhere are left out, and times count from the part that is kept', () => {
  const { text, tokens, words } = stretchOf([' a', ' b', 'c', ' d', 'e'], [1600, 4800]);
  expect(text).toBe('bc');
  expect(tokens).toEqual([1, 2]);
  expect(words).toEqual([{ word: 'bc', startSeconds: 0, endSeconds: 0.2 }]);
  expect(stretchOf([' a', ' b', 'c', ' d', 'e'], [3200, 8000]).text).toBe('de');
});
