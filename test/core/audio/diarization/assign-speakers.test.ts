import { describe, expect, it } from 'vitest';
import {
  assignSpeakers,
  type SpeakerTurn,
  type TimedText,
} from '../../../../src/core/audio/diarization/assign-speakers.ts';

const turn = (speaker: number, startSeconds: number, endSeconds: number): SpeakerTurn => ({
  speaker,
  startSeconds,
  endSeconds,
});
const said = (text: string, startSeconds: number, endSeconds: number): TimedText => ({
  text,
  startSeconds,
  endSeconds,
});
/** Words of a second each. */
const withWords = (text: string, startSeconds: number, words = text.trim().split(' ')): TimedText => ({
  ...said(text, startSeconds, startSeconds + words.length),
  words: words.map((word, index) => ({
    word,
    startSeconds: startSeconds + index,
    endSeconds: startSeconds + index + 1,
  })),
});
const dialog = [turn(7, 0, 2), turn(3, 2.5, 5), turn(7, 6, 9)];

describe('a transcript is given to its speakers', () => {
  it.each<[string, TimedText[], SpeakerTurn[], [string, string, number, number][]]>([
    ['whole', [said(' Hi.', 0, 1)], dialog, [['A', 'Hi.', 0, 1]]],
    ['to whoever speaks longest', [said(' Hi.', 1.5, 4)], dialog, [['A', 'Hi.', 1.5, 4]]],
    [
      'in the order of their coming, not of the turns',
      [said(' Hi.', 3, 4), said(' Ho.', 7, 8)],
      dialog,
      [
        ['A', 'Hi.', 3, 4],
        ['B', 'Ho.', 7, 8],
      ],
    ],
    [
      'cut where the speaker changes',
      [withWords(' Are you well? Yes, very well indeed.', 0)],
      dialog,
      [
        ['A', 'Are you', 0, 2],
        ['B', 'well? Yes, very well', 2, 6],
        ['A', 'indeed.', 6, 7],
      ],
    ],
    [
      'by words without spaces',
      [withWords('你好你好', 1, ['你', '好', '你', '好'])],
      dialog,
      [
        ['A', '你', 1, 2],
        ['B', '好你好', 2, 5],
      ],
    ],
    [
      'whole where a word is not in the text',
      [withWords(' a b', 1, ['a', 'c'])],
      dialog,
      [['A', 'a b', 1, 3]],
    ],
    [
      'before all turns to the first',
      [said('Hi.', 0, 1)],
      [turn(1, 3, 4), turn(0, 5, 6)],
      [['A', 'Hi.', 0, 1]],
    ],
    [
      'in a pause to the nearest turn',
      [said('a', 0, 1), said('b', 5.1, 5.2), said('c', 5.8, 5.9), said('d', 20, 21)],
      dialog,
      [
        ['A', 'a', 0, 1],
        ['B', 'b', 5.1, 5.2],
        ['A', 'c', 5.8, 5.9],
        ['A', 'd', 20, 21],
      ],
    ],
    [
      'to one where nobody was heard',
      [said('a', 0, 1), said('b', 1, 2)],
      [],
      [
        ['A', 'a', 0, 1],
        ['A', 'b', 1, 2],
      ],
    ],
    ['without what is no text', [said('  ', 0, 1)], dialog, []],
    ['at one moment', [said('a', 3, 3)], dialog, [['A', 'a', 3, 3]]],
  ])('%s', (_, segments, turns, expected) => {
    const found = assignSpeakers(segments, turns);
    expect(found.map((one) => [one.speaker, one.text, one.startSeconds, one.endSeconds])).toEqual(expected);
  });

  it('named by letters, then by pairs of them', () => {
    const turns = Array.from({ length: 30 }, (_, index) => turn(index, index, index + 1));
    const segments = turns.map(({ startSeconds, endSeconds }) => said('x', startSeconds, endSeconds));
    const labels = assignSpeakers(segments, turns).map(({ speaker }) => speaker);
    expect([labels[0], labels[25], labels[26], labels[29]]).toEqual(['A', 'Z', 'AA', 'AD']);
  });
});
