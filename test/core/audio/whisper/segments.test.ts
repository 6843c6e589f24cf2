import { describe, expect, it } from 'vitest';
import { splitWindow } from '../../../../src/core/audio/whisper/segments.ts';
import { golden } from './golden.ts';

const { timestampBegin } = golden.vocabulary;

describe('splitWindow', () => {
  it('cuts where the reference cuts', () => {
    for (const { tokens, positions, segments, consumed } of golden.splits) {
      const split = splitWindow(tokens, { timestampBegin, positions });
      const label = tokens.join(' ');
      expect(split.consumed, label).toBe(consumed);
      expect(
        split.segments.map(({ end }) => end),
        label,
      ).toEqual(segments.map(([, end]) => end));
      // Of a single segment the reference forgets when it begins.
      if (segments.length > 1)
        expect(
          split.segments.map(({ start }) => start),
          label,
        ).toEqual(segments.map(([start]) => start));
    }
  });

  const options = { timestampBegin: 100, positions: 500 };

  it.each<[string, number[], [number, number][], number]>([
    ['nothing', [], [], 500],
    ['text without times', [1, 2], [[0, 500]], 500],
    ['one segment', [110, 1, 160], [[10, 60]], 500],
    ['one segment that the window cuts off', [110, 1, 2], [[0, 10]], 500],
    ['one from the start of which the end is missing', [100, 1, 2], [[0, 500]], 500],
    [
      'two segments',
      [100, 1, 150, 160, 2, 200],
      [
        [0, 50],
        [60, 100],
      ],
      500,
    ],
    ['a segment and one that the window cuts off', [100, 1, 150, 160, 2], [[0, 50]], 50],
    ['a pair at the end', [100, 1, 150, 150], [[0, 50]], 50],
    ['times beyond the audio', [100, 1, 900, 900, 2], [[0, 800]], 500],
    ['a pair that would not get on', [100, 100, 1], [[0, 0]], 500],
  ])('%s', (_, tokens, expected, consumed) => {
    const split = splitWindow(tokens, options);
    expect(split.segments.map(({ start, end }) => [start, end])).toEqual(expected);
    expect(split.consumed).toBe(consumed);
  });

  it.each<[string, number[], boolean]>([
    ['nothing', [], false],
    ['text without an end', [100, 1], false],
    ['one segment', [100, 1, 150], true],
    ['two segments', [100, 1, 150, 150, 2, 200], true],
    ['a segment that the window cuts off', [100, 1, 150, 150, 2], false],
    ['a pair at the end', [100, 1, 150, 150], false],
  ])('knows whether the text is finished: %s', (_, tokens, expected) =>
    expect(splitWindow(tokens, options).isFinished).toBe(expected),
  );

  it('gives segments their tokens, times included', () => {
    const { segments } = splitWindow([100, 1, 150, 160, 2, 200], options);
    expect(segments.map(({ tokens }) => tokens)).toEqual([
      [100, 1, 150],
      [160, 2, 200],
    ]);
  });
});
