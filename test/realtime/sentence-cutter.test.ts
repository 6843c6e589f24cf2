import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMarkup } from '../../src/core/speech/markup/read-markup.ts';
import { normalizeEnglish } from '../../src/core/speech/normalization/normalize-english.ts';
import { SentenceCutter } from '../../src/realtime/agent/sentence-cutter.ts';

function cut(text: string, lengths: readonly number[] = [4]): string[] {
  const cutter = new SentenceCutter();
  const pieces: string[] = [];
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const length = lengths[turn % lengths.length]!;
    pieces.push(...cutter.push(text.slice(at, at + length)));
    at += length;
  }
  return [...pieces, cutter.flush()].filter((piece) => piece !== '');
}

const spoken = (text: string): string =>
  readMarkup(text)
    .spans.map((span) => normalizeEnglish(span.text))
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

const texts = [
  'I spoke to Dr. Smith about it. He was kind.',
  'Mr. and Mrs. Jones live at 12 St. James St. near the park. They are well.',
  'See No. 5 on the list. It costs $3.50, not $4.',
  'The meeting is at 3 p.m. Tomorrow we leave.',
  'J. R. R. Tolkien wrote it. You know that.',
  'Version 2.0. It is 3.5 times as fast.',
  'In the U.S. Congress passed it. In the U.K. it failed.',
  'He weighs 12 st. 13 lb. and runs 5 km. every day.',
  'Approx. 20 people came. Max. 30 fit in.',
  'Well, yes: it opens at 9:30 a.m. on Mon., Wed. and Fri., and closes at 5.',
  'First, a list:\n1. Eggs\n2. Milk\n3. Bread\nThat is all.',
  '**Bold words. Still bold.** And *this one. Too.* Done.',
  'Call [the office](https://a.b/c?d=e.f). Ask for Prof. Lee.',
  'Run this:\n```js\nconst a = 1. toFixed();\nconsole.log("Hi. There.");\n```\nIt prints a number. Try it.',
  '"Where?" she asked. "There," he said. They left.',
  'It is −12 °C today, and 3.2 m × 1.1 m is large. Fine.',
  '| a | b |\n|---|---|\n| 1. | 2. |\n\nA table. Good.',
];

describe('a text that is cut while it is written', () => {
  it.each(texts)('sounds as the whole text: %s', (text) => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 }), (lengths) => {
        const pieces = cut(text, lengths);
        expect(pieces.join('')).toBe(text);
        expect(pieces.map(spoken).filter(Boolean).join(' ')).toBe(spoken(text));
      }),
      { numRuns: 20 },
    );
  });

  it('begins with a clause, and goes on by sentences', () => {
    expect(
      cut('Sure, let me think about that, and then tell you more. It is a long story, though. Really.'),
    ).toEqual([
      'Sure, let me think about that, ',
      'and then tell you more. ',
      'It is a long story, though. Really.',
    ]);
  });

  it('begins with a phrase if no clause ends early', () => {
    const [first, ...others] = cut(
      'The capital of France is the city of Paris which is known for its museums. It is large.',
    );
    expect(first).toBe('The capital of France is the city of Paris ');
    expect(others).toEqual(['which is known for its museums. ', 'It is large.']);
  });

  it('keeps code in one piece', () => {
    const pieces = cut('Here it is.\n```\na. B. c.\n```\nDone. Bye.');
    expect(pieces.filter((piece) => piece.includes('```'))).toHaveLength(1);
    expect(pieces.map(spoken).join(' ')).not.toContain('a.');
  });

  it('cuts a text without an end in bounded pieces', () => {
    const pieces = cut('word '.repeat(500), [37]);
    expect(pieces.length).toBeGreaterThan(5);
    for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(401);
    const code = cut(`\`\`\`\n${'x = 1;\n'.repeat(3000)}`, [61]);
    for (const piece of code) expect(piece.length).toBeLessThanOrEqual(8100);
  });
});
