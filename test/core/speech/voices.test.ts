import { describe, expect, it } from 'vitest';
import { describeVoice, mixStyles, parseVoiceMix } from '../../../src/core/speech/voices.ts';

describe('describeVoice', () => {
  it.each([
    ['af_heart', 'Heart (American English, female)', 'en-US'],
    ['am_adam', 'Adam (American English, male)', 'en-US'],
    ['bm_george', 'George (British English, male)', 'en-GB'],
    ['ef_dora', 'Dora (Spanish, female)', 'es'],
    ['ff_siwis', 'Siwis (French, female)', 'fr-FR'],
    ['hm_omega', 'Omega (Hindi, male)', 'hi'],
    ['if_sara', 'Sara (Italian, female)', 'it'],
    ['jf_gongitsune', 'Gongitsune (Japanese, female)', 'ja'],
    ['pm_alex', 'Alex (Brazilian Portuguese, male)', 'pt-BR'],
    ['zf_xiaobei', 'Xiaobei (Mandarin Chinese, female)', 'zh'],
    ['af_two_words', 'Two Words (American English, female)', 'en-US'],
    ['nobody', 'nobody', 'en-US'],
    ['xf_other', 'xf_other', 'en-US'],
  ])('%s', (id, name, language) => {
    expect(describeVoice(id)).toEqual({ id, name, language });
  });
});

describe('parseVoiceMix', () => {
  it.each<[string, [string, number][]]>([
    ['af_heart', [['af_heart', 1]]],
    [
      'a+b',
      [
        ['a', 1],
        ['b', 1],
      ],
    ],
    [
      'a(2)+b(0.5)',
      [
        ['a', 2],
        ['b', 0.5],
      ],
    ],
    [
      ' a + b ',
      [
        ['a', 1],
        ['b', 1],
      ],
    ],
    [
      'a+a',
      [
        ['a', 1],
        ['a', 1],
      ],
    ],
  ])('%j', (voice, shares) => {
    expect(parseVoiceMix(voice)).toEqual(shares.map(([name, weight]) => ({ voice: name, weight })));
  });

  it.each([
    '',
    '+',
    'a+',
    'a(0)',
    'a(-1)',
    'a(x)',
    'a()',
    'a b',
    'a(1)b',
    'a(99999)',
    Array(17).fill('a').join('+'),
  ])('refuses %j', (voice) => {
    expect(() => parseVoiceMix(voice)).toThrow(RangeError);
  });
});

describe('mixStyles', () => {
  const style = (...numbers: number[]): Float32Array => Float32Array.from(numbers);

  it.each([
    [[{ style: style(1, 2), weight: 5 }], [1, 2]],
    [
      [
        { style: style(0, 4), weight: 1 },
        { style: style(2, 0), weight: 1 },
      ],
      [1, 2],
    ],
    [
      [
        { style: style(0, 4), weight: 3 },
        { style: style(4, 0), weight: 1 },
      ],
      [1, 3],
    ],
  ])('is the weighted mean', (styles, expected) => {
    expect([...mixStyles(styles)]).toEqual(expected);
  });
});
