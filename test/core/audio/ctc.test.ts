import { expect, test } from 'vitest';
import { decodeCtc } from '../../../src/core/audio/ctc.ts';

/** Logits in which the given token is the best of each frame. */
const logitsOf = (path: readonly number[], vocabularySize: number) =>
  Float32Array.from({ length: path.length * vocabularySize }, (_, at) =>
    at % vocabularySize === path[Math.floor(at / vocabularySize)] ? 5 : 0,
  );

test.each<[title: string, path: number[], tokens: [id: number, start: number, end: number][]]>([
  [
    'repeats are one token',
    [1, 1, 2],
    [
      [1, 0, 2],
      [2, 2, 3],
    ],
  ],
  [
    'a blank parts two equal tokens',
    [1, 0, 1],
    [
      [1, 0, 1],
      [1, 2, 3],
    ],
  ],
  ['blanks alone are nothing', [0, 0], []],
  ['no frames are nothing', [], []],
])('%s', (_, path, tokens) => {
  const decoded = decodeCtc(logitsOf(path, 3), { frames: path.length, vocabularySize: 3, blank: 0 });
  expect(decoded.tokens.map(({ id, startFrame, endFrame }) => [id, startFrame, endFrame])).toEqual(tokens);
  expect(decoded.frames).toEqual(path);
});

test('the mean of the logarithms is that of a softmax', () => {
  const { averageLogprob } = decodeCtc(logitsOf([1, 2], 3), { frames: 2, vocabularySize: 3, blank: 0 });
  expect(averageLogprob).toBeCloseTo(-Math.log(1 + 2 * Math.exp(-5)), 6);
});

test('a shape that does not fit is refused', () => {
  expect(() => decodeCtc(new Float32Array(5), { frames: 2, vocabularySize: 3, blank: 0 })).toThrow(
    new RangeError('logits: expected 6 numbers, got 5'),
  );
});
