import fc from 'fast-check';
import { parseText, tokenizeVTTCue, type VTTNode } from 'media-captions';
import { describe, expect, it } from 'vitest';
import { toSrt, toVtt, type Subtitle } from '../../../src/core/audio/subtitles.ts';
import { runs } from '../../thorough.ts';

describe('toSrt', () => {
  it('numbers its cues and separates them by empty lines', () => {
    expect(
      toSrt([
        { startSeconds: 0, endSeconds: 1.5, text: ' Hello.' },
        { startSeconds: 1.5, endSeconds: 3725.0678, text: 'Two\r\n\r\n lines & <more> --> ' },
      ]),
    ).toBe(
      '1\n00:00:00,000 --> 00:00:01,500\nHello.\n\n' +
        '2\n00:00:01,500 --> 01:02:05,068\nTwo\nlines & <more> ->\n\n',
    );
  });

  it('of nothing is empty', () => {
    expect(toSrt([{ startSeconds: 1, endSeconds: 2, text: ' \n ' }])).toBe('');
  });
});

describe('toVtt', () => {
  it('has a header and escapes what means something', () => {
    expect(
      toVtt([
        { startSeconds: 0.0004, endSeconds: 59.9996, text: 'a\0 --> b' },
        { startSeconds: 360_000, endSeconds: 360_001, text: '<i>Q&amp;A</i>' },
      ]),
    ).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:01:00.000\na --&gt; b\n\n' +
        '100:00:00.000 --> 100:00:01.000\n&lt;i&gt;Q&amp;amp;A&lt;/i&gt;\n\n',
    );
  });

  it('of nothing is the header', () => {
    expect(toVtt([])).toBe('WEBVTT\n\n');
  });
});

it('both name the speaker in one line, where there is one', () => {
  const named = (speaker: string): Subtitle[] => [
    { startSeconds: 0, endSeconds: 1, text: 'Hi\nyou', speaker },
  ];
  expect(toSrt(named('Speaker 1'))).toBe('1\n00:00:00,000 --> 00:00:01,000\nSpeaker 1: Hi\nyou\n\n');
  expect(toVtt(named('Speaker 1'))).toBe('WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n<v Speaker 1>Hi\nyou\n\n');
  expect(toSrt(named('A\n\n-->\0'))).toContain('\nA ->: Hi\nyou\n\n');
  expect(toVtt(named('A\n>&B'))).toContain('\n<v A &gt;&amp;B>Hi\nyou\n\n');
  for (const write of [toSrt, toVtt]) expect(write(named(' \n '))).toBe(write(named('')));
});

describe.each([
  { type: 'srt', write: toSrt },
  { type: 'vtt', write: toVtt },
] as const)('any $type', ({ type, write }) => {
  const seconds = fc.double({ min: 0, max: 20_000, noNaN: true });
  const text = fc
    .array(
      fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom('-->', '\n', '\r\n\n', '&lt;', '<b>', 'NOTE ', '7'),
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join(''));
  const subtitles = fc.array(fc.record({ startSeconds: seconds, endSeconds: seconds, text }), {
    maxLength: 8,
  });

  it('is read by another parser as it was meant, its times in order', async () => {
    await fc.assert(
      fc.asyncProperty(subtitles, async (given) => {
        const { cues, errors } = await parseText(write(given), { type, strict: true, errors: true });
        expect(errors).toEqual([]);
        const expected = given
          .map((subtitle) => ({ ...subtitle, lines: linesOf(subtitle) }))
          .filter(({ lines }) => lines.length > 0)
          .toSorted((a, b) => Math.round(a.startSeconds * 1000) - Math.round(b.startSeconds * 1000));
        expect(cues.length).toBe(expected.length);
        let previous = 0;
        for (const [index, cue] of cues.entries()) {
          const { startSeconds, endSeconds, lines } = expected[index]!;
          expect(cue.startTime).toBeCloseTo(startSeconds, 2.9);
          expect(cue.endTime).toBeCloseTo(Math.max(endSeconds, cue.startTime + 0.001), 2.9);
          expect(cue.startTime).toBeGreaterThanOrEqual(previous);
          expect(cue.endTime).toBeGreaterThan(cue.startTime);
          previous = cue.startTime;
          if (type === 'srt') expect(cue.text).toBe(lines.join('\n').replace(/-{2,}>/g, '->'));
          else expect(tokenizeVTTCue(cue).map(textOf).join('')).toBe(lines.join('\n'));
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it.each<[Partial<Subtitle>, Error]>([
    [{ startSeconds: -1 }, new RangeError('subtitles[0].startSeconds: expected seconds from 0, got -1')],
    [{ endSeconds: NaN }, new RangeError('subtitles[0].endSeconds: expected seconds from 0, got NaN')],
    [
      { endSeconds: Infinity },
      new RangeError('subtitles[0].endSeconds: expected seconds from 0, got Infinity'),
    ],
    [{ text: 7 as unknown as string }, new TypeError('subtitles[0].text: expected a string, got 7')],
    [{ speaker: 7 as unknown as string }, new TypeError('subtitles[0].speaker: expected a string, got 7')],
  ])('refuses %j', (wrong, error) => {
    expect(() => write([{ startSeconds: 0, endSeconds: 1, text: 'a', ...wrong }])).toThrow(error);
  });
});

function linesOf({ text }: Subtitle): string[] {
  return text
    .replaceAll('\0', '')
    .split(/[\r\n]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function textOf(node: VTTNode): string {
  return node.type === 'text' ? node.data : node.children.map(textOf).join('');
}
