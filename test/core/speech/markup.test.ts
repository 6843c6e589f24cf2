import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMarkup } from '../../../src/core/speech/markup/read-markup.ts';
import { normalizeEnglish } from '../../../src/core/speech/normalization/normalize-english.ts';
import { splitTextWords } from '../../../src/core/speech/timing/text-words.ts';
import { runs } from '../../thorough.ts';

const spoken = (text: string) =>
  readMarkup(text).spans.map(({ text: words, phonemes, pauseSeconds }) => [
    normalizeEnglish(words),
    ...phonemes,
    ...(pauseSeconds === undefined ? [] : [pauseSeconds]),
  ]);

describe('markup is read as what it means', () => {
  it.each<[string, readonly (readonly (string | number)[])[]]>([
    ['<speak>Wait. <break time="1s"/>Go!</speak>', [['Wait.', 1], ['Go!']]],
    ['one <break time="250ms"/> two<break/>three', [['one', 0.25], ['two', 0.5], ['three']]],
    ['a<break strength="x-strong"/>b', [['a', 1.2], ['b']]],
    ['a<break time="99s"/>b', [['a', 10], ['b']]],
    ['<break time="3s"/>a', [['a']]],
    ['<emphasis level="strong">Now</emphasis>, <prosody rate="fast">quick</prosody>.', [['Now, quick.']]],
    ['<p>One</p><p>Two</p>', [['One.\nTwo.']]],
    ['a line<br/>another', [['a line.\nanother']]],
    ['<img src="a.png" alt="x"> a <!-- note --> b', [['a b']]],
    ['<script>let a;</script>after', [['after']]],
    ['AT&amp;T isn&#8217;t 5 &lt; 6&hellip;', [["AT and T isn't five is less than six…"]]],
    ['a &unknown; b', [['a and unknown; b']]],
    ['See [the link](https://x.y/z?a=1), [please](a_(b)).', [['See the link, please.']]],
    ['![a cat](cat.png) sits', [['a cat sits']]],
    ['| a | b |\n|---|:-:|\n| 1 | [2](x) |\nEnd.', [['a, b.\none, two.\nEnd.']]],
    ['Run:\n```js\nconst a = 1;\n```\nDone.', [['Run:\nDone.']]],
    ['Run:\n~~~\nnever closed', [['Run:']]],
    ['> quoted\n> more\n\n---\n\nafter', [['quoted more.\nafter']]],
    ['<sub alias="World Wide Web">WWW</sub> is wide', [['World Wide Web is wide']]],
    ['<sub alias="x">never closed', [['never closed']]],
    ['<say-as interpret-as="characters">ABC</say-as>', [['A, B, C']]],
    ['<say-as interpret-as="digits">1984</say-as>', [['one nine eight four']]],
    ['the <say-as interpret-as="ordinal">22</say-as>', [['the twenty-second']]],
    [
      '<say-as interpret-as="cardinal">1984</say-as> in all',
      [['one thousand nine hundred eighty-four in all']],
    ],
    ['<say-as interpret-as="date">3/4/2020</say-as>', [['March fourth, twenty twenty']]],
    ['a <say-as interpret-as="expletive">word</say-as> b', [['a b']]],
    ['<sub alias="the ꙮ">[a](/b/)</sub> [c](/d/)', [['the ꙮ', 'd']]],
    ['&#42606; [c](/d/)', [['ꙮ', 'd']]],
    ['<say-as interpret-as="digits">[a](/b/)1</say-as> [c](/d/)', [['one ꙮ', 'd']]],
    [
      'The area is $\\pi r^2$, or \\(a_1 \\le b\\).',
      [['The area is pi r squared, or a sub one is at most b.']],
    ],
    ['$$\\frac{a + \\sqrt{b}}{2}$$', [['a plus square root of b over two']]],
    [
      'It costs $5 and $10, or $5-$10.',
      [['It costs five dollars and ten dollars, or five dollars to ten dollars.']],
    ],
    ['Use \\*stars\\* and 1\\. here', [['Use stars and one. here']]],
    ['10<sup>3</sup> and x<sup>2</sup>, the 5<sup>th</sup>', [['ten cubed and x squared, the fifth']]],
    ['A claim[^1].\n\n[^1]: The source.', [['A claim.\nThe source.']]],
    ['See [the docs][ref] and [ref][].\n\n[ref]: https://a.b/c', [['See the docs and reference.']]],
    ['a [b][0] c', [['a (b)(zero) c']]],
    ['+ one\n+ two\n* three', [['one.\ntwo.\nthree']]],
    ['- [ ] buy milk\n- [x] call Bob', [['buy milk.\ncall Bob']]],
    ['a ==marked== word, a == b == c', [['a marked word, a equals b equals c']]],
    ['Title\n=====\nText\n\nOther\n---\nMore', [['Title.\nText.\nOther.\nMore']]],
    ['## A heading\nText', [['A heading.\nText']]],
    ['**A title**\nText **bold**', [['A title.\nText bold']]],
    ['a | b\n--|:-:\n1 | 2\n\nEnd', [['a, b.\none, two.\nEnd']]],
    ['The [Kokoro](/kˈOkəɹO/) voice.', [['The ꙮ voice.', 'kˈOkəɹO']]],
    ['<phoneme alphabet="ipa" ph="təˈmeɪtoʊ">tomato</phoneme> soup', [['ꙮ soup', 'təˈmeɪtoʊ']]],
  ])('%j', (text, expected) => {
    expect(spoken(text)).toEqual(expected);
  });

  it.each([
    'if a < b and c > d',
    'x & y; z',
    '[1] and (2)',
    '[a](b',
    '2 | 3',
    'I <3 you',
    'a -- b',
    'f(x)[0](y z)',
  ])('leaves %j', (text) => {
    expect(readMarkup(text)).toEqual({
      spans: [{ text, phonemes: [], pauseSeconds: undefined }],
      shown: text,
    });
  });

  it('reads the name of what is no element', () => {
    expect(spoken('send <your-name> here')).toEqual([['send your-name here']]);
  });

  it('pauses for a minute in all', () => {
    const pauses = readMarkup('a<break time="10s"/>'.repeat(8)).spans.map(({ pauseSeconds }) => pauseSeconds);
    expect(pauses).toEqual([10, 10, 10, 10, 10, 10, 0, 0]);
  });
});

it('words stay at their places', () => {
  const text = 'See <b>the</b> [big link](https://x.y), AT&amp;T<break/>!';
  const words = splitTextWords(readMarkup(text).shown);
  expect(words.map(({ word }) => word)).toEqual(['See', 'the', 'big', 'link', 'AT&T']);
  expect(words.map(({ offset }) => text.slice(offset, offset + 2))).toEqual(['Se', 'th', 'bi', 'li', 'AT']);
});

it('shows as many code units, and speaks no less where there is no markup', () => {
  const parts = fc.constantFrom(
    '<',
    '>',
    '/',
    'sub',
    ' alias="x"',
    '<b>',
    '</b>',
    '<sub alias="é😀">',
    '</sub>',
    '|',
    '\n',
    '---',
    '```',
    '[',
    '](',
    ')',
    '!',
    '&',
    'amp;',
    '#8217;',
    '<!--',
    '-->',
    '😀',
    'a',
    ' ',
    'ꙮ',
    '<break/>',
    '.',
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 30 }), (all) => {
      const text = all.join('');
      expect(readMarkup(text).shown).toHaveLength(text.length);
      if (!/[<&|`[>\-ꙮ]/u.test(text) && text.trim() !== '')
        expect(readMarkup(text).spans[0]!.text).toBe(text);
    }),
    { numRuns: runs(2000) },
  );
});

describe('a text as long as may be', () => {
  it.each([
    '<a>',
    '<sub alias="x">',
    '```\n',
    '|a|\n',
    '[a](b',
    '[a](b)',
    '<!--',
    '<!-- x -->',
    '&amp;',
    '![a](',
    '> ',
    '- ',
    '<say-as interpret-as="digits">1</say-as>',
    '&',
    '<',
    '<a b="',
    '~~~',
    '| ',
    '[',
    '<x1>',
  ])('of %j is read to its end', { timeout: 20_000 }, (part) => {
    const text = part.repeat(32_768 / part.length);
    expect(readMarkup(text).shown).toHaveLength(text.length);
  });
});

it.each(['$a', '\\(', '[a][', '==a', 'a|b\n--|--\n', '# # ', '# [', '+ \n', '- [ ] \n', '**a', '\\frac{'])(
  'reads 200,000 characters of %j',
  (piece) => {
    expect(readMarkup(piece.repeat(200_000 / piece.length)).shown.length).toBeGreaterThan(190_000);
  },
);
