import {
  scaleNames,
  toCardinal,
  toDigits,
  toNumber,
  toOrdinal,
  toPair,
  toPlural,
  toYear,
} from './number-words.ts';
import { decimalNumber, globally, globallyInAnyCase, spokenAlike, wholeNumber, type Rule } from './rule.ts';

const year = String.raw`(?:1[0-9]\d\d|20\d\d)`;

/** Writes ranges with `to`. The numbers remain for later rules. */
export const rangeRules: readonly Rule[] = [
  [
    globally`(?<![\d.,:–-])(?<from>${year}) ?[–-] ?(?<until>${year})(?![\d,.]\d|[\d–-])`,
    ({ from = '', until = '' }) => `${toYear(from)} to ${toYear(until)}`,
  ],
  [
    globally`(?<![\d.,:–-])(?<century>1\d|20)(?<from>\d\d)[–-](?<until>\d\d)(?![\d–-]|[.,:]\d)`,
    ({ century = '', from = '', until = '' }) =>
      Number(until) > Number(from) ? `${toYear(century + from)} to ${toCardinal(until)}` : undefined,
  ],
  [
    globally`(?<![\d.,:–-])(?<from>${year}) ?[–—-] ?(?=(?:[Pp]resent|[Nn]ow|[Tt]oday)(?!\p{L}))`,
    ({ from = '' }) => `${toYear(from)} to `,
  ],
  [/(?<=(?<![\p{L}\d])[QH][1-4])[–—-](?=[QH]?[1-4](?![\p{L}\d]))/gu, ' to '],
  [/(?<=[$€£]\d[\d,.]{0,12}(?:[kKMBT]|bn)?) ?[–-] ?(?=[$€£]\d)|(?<=\d[%°])-(?=\d)/gu, ' to '],
  [/(?<=\d ?[%°]) [–-] (?=\d[\d.,]{0,9} ?[%°])/gu, ' to '],
  [/(?<=(?<![\p{L}\d.,-])\d{1,3}(?:,\d{3}){1,4})-(?=\d{1,3}(?:,\d{3}){1,4}(?![\d-]))/gu, ' to '],
  [/(?<=\d(?:st|nd|rd|th))-(?=\d{1,3}(?:st|nd|rd|th)(?!\p{L}))/gu, ' to '],
  [/(?<=(?<![\p{L}\d.,/-])\d{1,3})-(?=\d{1,2}\/(?:2|3|4|8|16)(?!\d))/gu, ' '],
  [/(?<=\d(?:st|nd|rd|th|[%°])?) ?– ?(?=[$€£¥]?\d)/gu, ' to '],
  [/(?<=(?<![\p{L}\d-][.,:]?)\d{1,4}(?:\.\d{1,4})?)-(?=\d{1,4}(?![\d-]))/gu, ' to '],
];

/** Telephone numbers, digit by digit. */
export const phoneRules: readonly Rule[] = [
  ...spokenAlike(
    (_, number) => (number.startsWith('+') ? 'plus ' : '') + number.match(/\d+/g)!.map(toDialed).join(', '),
    /(?<![\d+.,-])(?:(?:\+?\d{1,3}[ .-])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[.-]\d{4}|\d{3}-\d{4}|\+\d{1,3}(?: \d{2,7}){2,5})(?![\d-])/gu,
    // `0800 123 456`, and card numbers
    /(?<![\p{L}\d.,$€£+-]|\d )(?:0\d{1,4}(?: \d{2,4}){1,4}(?<=\d{2} \d{2} \d{2} \d{2}|\d{3,} \d{3,}|0\d{3,} \d{2} \d{2}.*)|\d{4}(?<mark>[ -])\d{4}\k<mark>\d{4}\k<mark>\d{3,4})(?![\d-]| \d|[.,]\d)/gu,
  ),
  // `1-800-FLOWERS`
  [
    /(?<![\d.,-])(?:(?<country>1)[ -])?(?<area>8\d\d)-(?=\p{Lu}{3})/gu,
    ({ country, area = '' }) => `${country === undefined ? '' : 'one, '}${toDialed(area)}, `,
  ],
];

function toDialed(digits: string): string {
  return /^[1-9]00$/.test(digits) ? `${toDigits(digits.slice(0, 1))} hundred` : toDigits(digits);
}

/** Special notations of one number, and fixed phrases of two. */
export const notationRules: readonly Rule[] = [
  // `24/7`, `9/11`, `50/50`, `50-50`
  [
    /(?<![\p{L}\d./-])(?<one>24(?=\/7)|9(?=\/11)|(?!10\/)(?<same>\d\d)(?=[/-]\k<same>))[/-](?<other>\d{1,2})(?![\d/-])/gu,
    ({ one = '', other = '' }) => `${toCardinal(one)} ${toCardinal(other)}`,
  ],
  ...spokenAlike(
    (_, number) => number.replace(/[ '_]/g, ''),
    // Thousands separated by spaces.
    /(?<![\d.,])(?:\d{1,3}(?:(?: \d{3}){2,}| 000))(?![.,]?\d| \d)/g,
    // `1'000'000`, `1_000_000`
    /(?<![\w.,'])(?:\d{1,3}(?:(?:'\d{3}){1,6}|(?:_\d{3}){1,6}))(?![\w'])/gu,
  ),
  [
    globally`(?<![\p{L}\d.,])(?<base>${decimalNumber})(?:[eE]| ?[×x*·] ?10\^)(?<sign>[+-]?)(?<power>\d{1,3})(?![\p{L}\d])`,
    ({ base = '', sign, power = '' }) =>
      `${toNumber(base)} times ten to the ${sign === '-' ? 'minus ' : ''}${toCardinal(power)}`,
  ],
];

const crowds: Readonly<Record<string, string>> = {
  '10': 'tens',
  '100': 'hundreds',
  '1000': 'thousands',
  '1,000': 'thousands',
};

/** Decades and crowds, which look like seconds. */
export const decadeRules: readonly Rule[] = [
  [/(?<![\d.,])(?<count>10|100|1,?000)s(?= of )/gu, ({ count = '' }) => crowds[count]],
  [/(?<![\d.,])(?<decade>(?:1[1-9]|20)\d0)'?s(?!\p{L})/gu, ({ decade = '' }) => toPlural(toYear(decade))],
  [
    /(?:(?<![\p{L}\d])'|(?<=(?<!\p{L})(?:the|early|late|mid|his|her|their|my|our|your)[ -]|\d0s (?:and|or|to) |(?:twent|thirt|fort|fift|sixt|sevent|eight|ninet)ies (?:and|or|to) ))(?<decade>[2-9]0)'?s(?!\p{L})/gu,
    ({ decade = '' }) => toPlural(toCardinal(decade)),
  ],
];

/** Numbers with a scale letter; `4K` and `8K` are video formats. */
export const scaleRules: readonly Rule[] = [
  [
    globally`(?<![\p{L}\d.,-])(?![48]K(?!\p{L}))(?<number>${decimalNumber})(?<scale>k|K|M|B|bn)(?![\p{L}\d])`,
    ({ number = '', scale = '' }) => `${toNumber(number)} ${scaleNames[scale.toLowerCase()]!}`,
  ],
];

/** A list of numbers in the range of years; all of them are read as years. */
const yearList = String.raw`(?<years>${year}(?:(?:, (?:and |or )?| and | or )${year}){1,20})`;
/** Before a quantity. */
const counting =
  'is|are|was|were|be|of|about|to|than|over|under|only|exactly|nearly|almost|cost|costs|has|have|had|number|total|pay|paid|for|and|or';

/** Years outside lists. */
const yearRules = spokenAlike(
  (_, digits) => toYear(digits),
  // At the beginning of a sentence.
  globally`(?<=^|\n|[.!?] )${year}(?= (?:was|is|saw|had|will|brought|marked|began|ended)(?!\p{L}))`,
  globallyInAnyCase`(?<=\p{L},? )(?<!(?<!\p{L})(?:${counting}) )(?:19\d\d|20[0-4]\d)(?=[,;!?)\n]|\.(?!\d)|$)(?!,\d)`,
  globallyInAnyCase`(?<=(?<!\p{L})(?:in|since|until|till|circa|during|year|summer|spring|autumn|fall|winter|early|late|mid|season|class of|back to) )${year}(?![\d.,:/]\d|[\d%])`,
  globallyInAnyCase`(?<=(?<!\p{L})(?:before|after|by|for|of|through|happy) )${year}(?=[,;:!?)\n]|\.(?!\d)|$| (?:and|or|but|when|we|I|he|she|it|they|was|is|will|has|had)(?!\p{L}))`,
  globally`(?<=(?<!\p{L})(?:[Bb]orn|[Dd]ied|[bdr]\.|FY|[QH][1-4]|AD|[Cc]opyright) )${year}(?![\d.,:/-]\d|[\d%])|(?<=(?<!\p{L})[Tt]he )(?:19|20)(?!00)\d\d(?= \p{L})`,
  // The whole text, or its beginning.
  /^(?:19|20)\d\d(?=[.!?]?$| \p{Lu})/gu,
  globally`(?<=\()${year}(?=\))`,
);

/** The remaining numbers. */
export const numberRules: readonly Rule[] = [
  [
    globally`(?<![\p{L}\d.,:/$€£-])${yearList}(?=[;:!?)\n]|, \p{L}|\.(?!\d)|$| (?:was|were|is|are|saw|had)(?!\p{L}))`,
    ({ years = '' }) => years.replace(/\d+/g, toYear),
  ],
  ...yearRules,
  [
    globallyInAnyCase`(?<=(?<!\p{L})(?:from|between) )(?<from>${year}) (?<word>to|until|and) (?<until>${year})(?![\d.,:/]\d|[\d%])`,
    ({ from = '', word, until = '' }) => `${toYear(from)} ${word} ${toYear(until)}`,
  ],
  [
    globally`(?<![\d./])(?<score>\d\.\d(?=/(?:5|10)(?!\d))|(?:10|\d)(?=/10(?:[.,;!?)]?$|[.,;!?)] | on (?:the|an?|my|his|her|this) )))/(?<most>5|10)(?![\d/]|[.,]\d)`,
    ({ score = '', most = '' }) => `${toNumber(score)} out of ${toCardinal(most)}`,
  ],
  [
    /(?<=(?<!\p{L})(?:[Vv]ersion|Python|Node(?:\.js)?|Go|PHP|Ruby|Rust|Ubuntu|Debian|Swift|Julia|CUDA|TypeScript|iOS|macOS) )(?<major>\d{1,3})\.(?<minor>\d\d)(?![\d.])/gu,
    ({ major = '', minor = '' }) => `${toCardinal(major)} point ${toPair(minor)}`,
  ],
  [/(?<![\p{L}\d/])[vV]\.?(?=\d+\.\d)/gu, 'version '],
  [/(?<=\p{L})\.(?=\d)/gu, ' point '],
  [/(?<![\p{L}\d])'(?=\d\d(?![\d'\p{L}]))/gu, ''],
  [/(?<=\p{L}-?)(?<number>\d{1,3})s(?!\p{L})/gu, ({ number = '' }) => ` ${toPlural(toCardinal(number))}`],
  [
    globally`(?<![\d.,])(?<number>${wholeNumber})(?:st|nd|rd|th)(?!\p{L})`,
    ({ number = '' }) => toOrdinal(number),
  ],
  [
    /(?<![\d.,/])(?:(?<whole>\d{1,9}) )?(?<part>\d{1,2})\/(?<parts>[2-9]|1[0-9]|20|32|64|100)(?:(?:th|rd|nd)s?)?(?<noun>-(?=\p{L}))?(?![\d/]|[.,]\d)/gu,
    ({ whole, part = '', parts = '', noun }) => {
      if (Number(part) === 0 || Number(part) >= Number(parts)) return undefined;
      const fraction = toFraction(part, parts, whole !== undefined);
      const count = whole === undefined ? '' : `${toCardinal(whole)} and `;
      return count + (noun === undefined ? fraction : `${fraction.replace(/s$/, '')} `);
    },
  ],
  [/(?<=\d)\/(?=\d)/g, ' over '],
  // A letter and a digit are two words: `MP3`, `5G`, `COVID-19`.
  [/(?<=\p{L})-?(?=\d)|(?<=\d)-?(?=\p{L})/gu, ' '],
  [
    /(?<![\d.])(?<version>\d+(?:\.\d+){2,})(?!\d)/g,
    ({ version = '' }) => version.split('.').map(toCardinal).join(' point '),
  ],
  [/(?<=\d):(?=\d)/g, ' to '],
  [/(?<![\d.])\.(?<decimals>\d+)/g, ({ decimals = '' }) => `point ${toDigits(decimals)}`],
  [globally`(?<number>${decimalNumber})`, ({ number = '' }) => toNumber(number)],
];

export const signRules: readonly Rule[] = [
  [/(?<=(?<!\p{L})(?:I|[Ww]e|[Tt]hey) )<3(?= \p{L})/gu, 'love'],
  [/(?<=^|\n|\p{L}{2}[.,!?]? |<3 )<3(?= <3|[.!?,;)\n]|$)/gu, 'heart'],
  [/(?<![\p{L}\d])(?<symbol>[$€£])-(?=\d)/gu, ({ symbol = '' }) => `-${symbol}`],
  [/~(?=[\d$€£])/g, 'about '],
  [/(?<![\p{L}\d)"'/=<-] ?)<(?= ?[$€£]?\d)/gu, 'less than '],
  [/(?<![\p{L}\d)"'/=>-] ?)>(?= ?[$€£]?\d)/gu, 'more than '],
  [/(?<=UTC|GMT)-(?=\d)/g, ' minus '],
  [/(?<![\p{L}\d)\]'"%°^-])-(?=[$€£¥]?\.?\d)/gu, 'minus '],
  [/(?<![\p{L}\d)\]])\+(?=[$€£¥]?\d)/gu, 'plus '],
];

function toFraction(part: string, parts: string, isBehindWhole: boolean): string {
  const count = part === '1' && isBehindWhole && (parts === '2' || parts === '4') ? 'a' : toCardinal(part);
  const name = parts === '2' ? 'half' : parts === '4' ? 'quarter' : toOrdinal(parts);
  if (part === '1') return `${count} ${name}`;
  return `${count} ${name}s`;
}
