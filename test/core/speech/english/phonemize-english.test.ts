import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { phonemizeEnglish } from '../../../../src/core/speech/english/phonemize-english.ts';
import {
  createEnglishPhonemizer,
  type Phonemizer,
} from '../../../../src/categories/speech/pipeline/pronunciation.ts';
import { runs } from '../../../thorough.ts';

let english: Phonemizer;
beforeAll(async () => {
  english = await createEnglishPhonemizer('en-US');
});

it('spells words and names every letter without a dictionary', () => {
  expect(phonemizeEnglish('a bus, the USB')).toBe('ə bˈi jˈu ˈɛs, ðə jˈu ˈɛs bˈi');
});

it('names every letter as the dictionary does', async () => {
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ').join(' ');
  expect(phonemizeEnglish(letters)).toBe(await english.phonemize(letters));
});

const tables: Readonly<Record<string, readonly (readonly [text: string, phonemes: string])[]>> = {
  'words of the dictionary': [
    ['red circle', 'ɹˈɛd sˈɜɹkəl'],
    ['Triangles', 'tɹˈIˌæŋɡəlz'],
    ["don't can't it's", 'dˈOnt kˈænt ˈɪts'],
    ['naïve', 'nˌIˈiv'],
  ],
  'words without stress': [
    ['A bee is on the wall.', 'ə bˈi ɪz ɑn ðə wˈɔl.'],
    ['What is it for?', 'wˈʌt ɪz ɪt fˈɔɹ?'],
    ['I saw it.', 'ˈI sˈɔ ɪt.'],
    ['Where is he?', 'wˈɛɹ ɪz hˈi?'],
    ['Is.', 'ˈɪz.'],
  ],
  'the and to': [
    ['the bee, the apple', 'ðə bˈi, ði ˈæpəl'],
    ['the USB, the hour', 'ðə jˈu ˈɛs bˈi, ði ˈWəɹ'],
    ['to go, to eat', 'tə ɡˈO, tu ˈit'],
  ],
  'letters and initials': [
    ['B C D', 'bˈi sˈi dˈi'],
    ['A B', 'ˈA bˈi'],
    ['Plan A.', 'plˈæn ˈA.'],
    ['GPUs', 'ʤˈi pˈi jˈuz'],
    ["the UK's", 'ðə jˈu kˈAz'],
    ['the US and us', 'ðə jˈu ˈɛs ənd ʌs'],
    ['NASA STOP', 'nˈæsə stˈɑp'],
    ['XQZ tv www', 'ˈɛks kjˈu zˈi tˈivˈi dˈʌbəlju dˈʌbəlju dˈʌbəlju'],
    ['WHAT ARE YOU DOING', 'wˈʌt ɑɹ ju dˈuɪŋ'],
    ['a gpu', 'ə ʤˈi pˈi jˈu'],
    ['OpenAI iPhone', 'ˈOpən ˈA ˈI ˈIfˌOn'],
  ],
  'heteronyms by what stands beside them': [
    ['I have read it. I will read it.', 'ˈI hæv ɹˈɛd ɪt. ˈI wɪl ɹˈid ɪt.'],
    ['They lead. A lead pipe.', 'ðA lˈid. ə lˈɛd pˈIp.'],
    ['We live in it. A live show.', 'wi lˈɪv ɪn ɪt. ə lˈIv ʃˈO.'],
    ['the wind; wind up', 'ðə wˈɪnd; wˈInd ˈʌp'],
    ['close the door; it is close', 'klˈOz ðə dˈɔɹ; ɪt ɪz klˈOs'],
    ['I use it. The use of it.', 'ˈI jˈuz ɪt. ðə jˈus ʌv ɪt.'],
    ['Record the record.', 'ɹəkˈɔɹd ðə ɹˈɛkəɹd.'],
    ['to present a present', 'tə pɹizˈɛnt ə pɹˈɛzənt'],
    ['an estimate; to estimate', 'ən ˈɛstəmət; tu ˈɛstəmˌAt'],
  ],
  'words put together from others': [
    ['unboxing', 'ˌʌnbˈɔksˌɪŋ'],
    ['tokenizers', 'tˈOkənˌIzəɹz'],
    ['blogged blogs', 'blˈɑɡd blˈɑɡz'],
    ['hyperparameter', 'hˌIpəɹpəɹˈæmətəɹ'],
    ['organised', 'ˈɔɹɡənˌIzd'],
    ["the emojis' size", 'ði ɪmˈOʤiz sˈIz'],
    ['cloudwatch', 'klˈWdwˌɑʧ'],
  ],
  'words that nobody knows': [
    ['blarning', 'blˈɑɹnɪŋ'],
    ['zorptastic', 'zˌɔɹptˈæstɪk'],
    ['Straße', 'stɹˈæs'],
  ],
  'punctuation and other scripts': [
    ['"Stop!" (he said) — and left…', '"stˈɑp!" (hi sˈɛd) — ənd lˈɛft…'],
    ['red, green; blue: white', 'ɹˈɛd, ɡɹˈin; blˈu: wˈIt'],
    ['state-of-the-art', 'stˈAt ʌv ði ˈɑɹt'],
    ["'quoted' dogs'", 'kwˈOtɪd dˈɑɡz'],
    ['红色 red круг', 'ɹˈɛd'],
    ['你好', ''],
    ['', ''],
  ],
};

describe.each(Object.entries(tables))('%s', (_name, cases) => {
  it.each(cases)('%s', async (text, phonemes) => {
    expect(await english.phonemize(text)).toBe(phonemes);
  });
});

describe('any text', () => {
  const alphabet = /^[ ;:,.!?—…"()ˈˌAIOWYbdfhijklmnpstuvwzɑæɔðʤəɛɜɡɪŋθɹʃʧʊʌʒ]*$/;

  it('becomes phonemes and punctuation', async () => {
    const words = fc.stringMatching(/^[A-Za-z'é红 ,.!-]{0,40}$/);
    await fc.assert(
      fc.asyncProperty(words, async (text) => {
        expect(await english.phonemize(text)).toMatch(alphabet);
      }),
      { numRuns: runs(300) },
    );
  });

  it('says something for every word of Latin letters', async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[A-Za-z]{1,60}$/), async (word) => {
        expect(await english.phonemize(word)).toMatch(/\p{L}/u);
      }),
      { numRuns: runs(300) },
    );
  });

  it.each(['a', 'A', "a'", 'é', 'aB', 'Ab', 'A ', ',.', 'unun', 'inging', 'xqz '])(
    'as long as may be is no trouble: %j',
    async (part) => {
      const text = part.repeat(Math.floor(32_768 / part.length));
      expect(await english.phonemize(`${text} bee`)).toMatch(/bˈi$/);
    },
  );
});
