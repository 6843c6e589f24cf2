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
  /[*_`#|\\$^=<>[\]{}~]|\b(?:backslash|asterisk|stars?|hash|pound sign|pipe|underscore|tilde|dollars?|equals equals)\b/;

describe.each(templates)('%j', (template) => {
  it.each(numbers)('with %s, %s and %s: no mark is spoken and no value lost', (...values) => {
    const text = template.replace(
      /(?<![A-Za-z])[ABC](?![A-Za-z])(?! quick)/g,
      (letter) => values['ABC'.indexOf(letter)]!,
    );
    const spoken = readMarkup(text)
      .spans.map((span) => normalizeEnglish(span.text))
      .join(' ');
    expect(spoken).not.toMatch(marks);
    const words = spoken.replaceAll(/[^a-z]+/g, ' ');
    for (const value of values)
      expect(` ${words} `).toContain(` ${normalizeEnglish(value).replaceAll(/[^a-z]+/g, ' ')} `);
  });
});
