import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readMarkup } from '../../../src/core/speech/markup/read-markup.ts';
import { normalizeEnglish } from '../../../src/core/speech/normalization/normalize-english.ts';

/** Answers as chat models format them; `A`, `B` and `C` are numbers, each of which has to be heard. */
const templates = [
  '# Plan\n\n1. Take **A** eggs.\n2. Add `B` grams of flour.\n3. Bake for C minutes.',
  '| item | count |\n|---|---|\n| apples | A |\n| pears | B |\n\nIn total: **C**.',
  'item | count\n--|--\nnuts | A\nseeds | B\n\nThat makes C.',
  'The result is $A + B = C$, as expected.',
  'We have \\(x = A\\) and $$y = \\frac{B}{C}$$',
  'Results\n=======\n\n- [x] A tests passed\n- [ ] B tests failed\n- [ ] C skipped',
  '**Summary**\n\n* first: A\n* second: B\n* third: C',
  '> Note: A of B people answered[^1].\n\n[^1]: Asked C people.',
  'Run it:\n\n```js\nconsole.log(1);\n```\n\nIt prints A, then _B_, then ***C***.',
  'See [page A](https://a.b/c) and [chapter B][x], and ==section C==.\n\n[x]: https://d.e',
  '### Step A\n\nTurn ~~left~~ right after B meters, then **C** more.',
  'Use \\*A\\* and \\#B, and 1\\. C',
  '<b>A</b> of <i>B</i> files<br>C left',
  '+ A pounds\n+ B ounces\n    + C grams',
  '---\n\nIt took **A hours**, _B minutes_ and `C` seconds.\n\n---',
  '1) A\n2) B\n3) C',
  'Between A and B there are **C** steps &mdash; no more.',
  '##### Costs #####\n\n| a | b | c |\n|:-:|:-:|:-:|\n| A | B | C |',
  'The answer: **A**.\n\n***\n\nOr: **B**?\n\nNo: __C__!',
  'Q: A?\nA quick answer: B.\n\n> > C it is.',
] as const;
const numbers = [
  ['3', '250', '40'],
  ['12', '1,200', '0.5'],
  ['7', '19', '2.75'],
  ['100', '64', '1,000,000'],
  ['21', '365', '99.9'],
] as const;
const marks =
  /[*_`#|\\$^=<>[\]{}~]|\b(?:backslash|asterisk|stars?|hash|pound sign|pipe|underscore|tilde|equals equals)\b/;

describe.each(templates)('%j', (template) => {
  it.each(numbers)('with %s, %s and %s: no mark is spoken and no value lost', (...values) => {
    const text = template.replace(
      /(?<![A-Za-z])[ABC](?![A-Za-z])(?! quick)/g,
      (letter) => values['ABC'.indexOf(letter)]!,
    );
    const spoken = say(text);
    expect(spoken).not.toMatch(marks);
    expect(spoken).not.toMatch(/\bdollars?\b/);
    const words = spoken.replaceAll(/[^a-z]+/g, ' ');
    for (const value of values)
      expect(` ${words} `).toContain(` ${normalizeEnglish(value).replaceAll(/[^a-z]+/g, ' ')} `);
  });
});

/** Answers of a small model with all its mistakes; `golden/chat-answers.js` writes them. */
const { answers } = JSON.parse(
  readFileSync(new URL('golden/chat-answers.json', import.meta.url), 'utf8'),
) as { readonly answers: readonly { readonly prompt: string; readonly text: string }[] };
/** Dates, times, fractions, prices, and other numbers. */
const written =
  /\d{4}-\d\d-\d\d|\d\d?[/.]\d\d?[/.]\d{4}|\d\d?:\d\d(?::\d\d)?|(?:\d+ )?\d+\/\d+|[$£€]\d+\.\d\d(?!\d)|\d+(?:,\d{3})*(?:\.\d+)?/g;
const fences = /(?<=^|\n)(`{3})[^]*?(?:\n\1[^\n]*|$)/g;

describe('answers of SmolLM2', () => {
  it.each(answers)('$prompt: no mark is spoken and no value lost', ({ text }) => {
    const spoken = say(text);
    expect(spoken).not.toMatch(marks);
    const prose = text.replaceAll(fences, '');
    // A dollar sign is an amount's, and amounts are all that makes dollars.
    const dollars = (prose.match(/\$ ?[\d.]|\$$|dollar/g) ?? []).length;
    expect((spoken.match(/\bdollars?\b/g) ?? []).length).toBeLessThanOrEqual(dollars);
    let rest = wordsOf(spoken);
    const values = Array.from(prose.matchAll(written), ([value]) => value);
    // The longest first: `two` is also heard in `one hundred two`.
    for (const value of values.toSorted((one, other) => other.length - one.length)) {
      const heard = waysOf(value).find((way) => rest.includes(way));
      expect(heard, `${value} in ${rest}`).toBeDefined();
      rest = rest.replace(heard!, ' _ ');
    }
  });
});

function say(text: string): string {
  return readMarkup(text)
    .spans.map((span) => normalizeEnglish(span.text))
    .join(' ');
}

/** Words in small letters with a space around each: `twenty-two` is one word, `two-door` two. */
function wordsOf(spoken: string): string {
  return ` ${spoken.replaceAll(/(?<!ty)-|[^a-z-]/g, ' ').replaceAll(/ +/g, '  ')} `;
}

/** How a number may be said: as an amount, an ordinal, a time, a year or the number of a room, a power. */
function waysOf(value: string): string[] {
  const pairs = /^(\d{1,2})(\d\d)$/.exec(value);
  const contexts = [value, `${value}th`, `${value} PM`, `in ${value}.`, `Room ${value}`, `x^${value}`];
  if (pairs) contexts.push(`${pairs[1]} ${pairs[2]}`);
  const words = contexts.map((context) =>
    wordsOf(normalizeEnglish(context))
      .trim()
      .replace(/^(?:in|oom|x)  /, ''),
  );
  return words.map((way) => ` ${way} `);
}
