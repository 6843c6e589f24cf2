import { scaleNames, toCardinal, toDigits, toNumber, toOrdinal, toPlural, toYear } from './number-words.ts';
import { decimalNumber, sticky, wholeNumber, type Grammar, type TokenClass } from './token.ts';

const crowds: Readonly<Record<string, string>> = { '10': 'tens', '100': 'hundreds', '1000': 'thousands' };

/** Fixed phrases of two numbers, and grouped or scientific notations of one. */
export const notations: TokenClass = {
  when: /(?=\d[\d.,]{0,60}(?:[-/'_eE]| ?[×x*·]| \d{3})|\d{41})/uy,
  digits: [
    // Longer ones are no numbers, and no other form has to search them.
    /\d{41,}/uy,
    (_, digits) => toDigits(digits),
    // `24/7`, `9/11`, `50/50`, `50-50`

    sticky`(?<![\p{L}\d./-])(?<one>24(?=/7)|9(?=/11)|(?!10/)(?<same>\d\d)(?=[/-]\k<same>))[/-](?<other>\d{1,2})(?![\d/-])`,
    ({ one = '', other = '' }) => `${toCardinal(one)} ${toCardinal(other)}`,
    /(?<![\d.,])\d{1,3}(?:(?: \d{3}){2,8}| 000)(?![.,]?\d| \d)/uy,
    /(?<![\w.,'])\d{1,3}(?:(?:'\d{3}){1,6}|(?:_\d{3}){1,6})(?![\w'])/uy,
    (_, number) => toCardinal(number.replace(/[ '_]/g, '')),

    sticky`(?<![\p{L}\d.,])(?<base>${decimalNumber})(?:[eE]| ?[×x*·] ?10\^)(?<sign>[+-]?)(?<power>\d{1,3})(?![\p{L}\d])`,
    ({ base = '', sign, power = '' }) =>
      `${toNumber(base)} times ten to the ${sign === '-' ? 'minus ' : ''}${toCardinal(power)}`,
  ],
};

/** Decades and crowds, which look like seconds. */
export const decades: TokenClass = {
  digits: [
    sticky`(?<![\d.,])(?<number>10|100|1,?000)s(?= of )`,
    ({ number = '' }) => crowds[number.replace(',', '')],

    sticky`(?<![\d.,])(?<decade>(?:1[1-9]|20)\d0)'?s(?!\p{L})`,
    ({ decade = '' }) => toPlural(toYear(decade)),

    sticky`(?<=(?<!\p{L})(?:the|early|late|mid|his|her|their|my|our|your)[ -]|\d0'?s(?: (?:and|or|to) | ?[–-] ?)|'s (?:and|or|to) )(?<decade>[2-9]0)'?s(?!\p{L})`,
    ({ decade = '' }) => toPlural(toCardinal(decade)),
  ],
  marks: {
    "'": [
      sticky`(?<![\p{L}\d])'(?<decade>[2-9]0)'?s(?!\p{L})`,
      ({ decade = '' }) => toPlural(toCardinal(decade)),
      sticky`(?<![\p{L}\d])'(?=\d\d(?![\d'\p{L}]))`,
      '',
    ],
  },
};

/** Scores and ratios of two numbers. */
export const scores: TokenClass = {
  digits: [
    sticky`(?<![\d./])(?<score>\d\.\d(?=/(?:5|10)(?!\d))|(?:10|\d)(?=/10(?:[.,;!?)]?$|[.,;!?)] | on (?:the|an?|my|his|her|this) )))/(?<most>5|10)(?![\d/]|[.,]\d)`,
    ({ score = '', most = '' }) => `${toNumber(score)} out of ${toCardinal(most)}`,
  ],
};

const tail = String.raw`(?![\d/]|[.,]\d)`;
const fractions: Grammar = [
  sticky`(?<![\d.,/])(?:(?<whole>\d{1,9})[ -])?(?<part>\d{1,2})/(?<parts>[2-9]|1[0-9]|20|32|64|100)(?:(?:th|rd|nd|TH|RD|ND)s?)?(?<noun>-(?=\p{L}))?${tail}`,
  ({ whole, part = '', parts = '', noun }) => {
    if (Number(part) === 0 || Number(part) >= Number(parts)) return undefined;
    const fraction = toFraction(part, parts, whole !== undefined);
    const count = whole === undefined ? '' : `${toCardinal(whole)} and `;
    return count + (noun === undefined ? fraction : `${fraction.replace(/s$/, '')} `);
  },
];

/** All other numbers. */
export const numbers: TokenClass = {
  digits: [
    // `4K` and `8K` are video formats, and `6500K` is no number of thousands.

    sticky`(?<![\p{L}\d.,])(?!(?:[48]|\d{4,9})K(?!\p{L}))(?<number>${decimalNumber})(?<scale>k|K|M|B|bn)(?![\p{L}\d])`,
    ({ number = '', scale = '' }) => `${toNumber(number)} ${scaleNames[scale.toLowerCase()]!}`,

    sticky`(?<![\d.,])(?<number>${wholeNumber})(?:st|nd|rd|th|ST|ND|RD|TH)(?!\p{L})`,
    ({ number = '' }) => toOrdinal(number),
    ...fractions,
    /(?<=\p{L}-?)(?<number>\d{1,3})s(?!\p{L})/uy,
    ({ number = '' }) => toPlural(toCardinal(number)),
    sticky`${decimalNumber}`,
    (_, number) => toNumber(number),
  ],
  marks: {
    '.': [/(?<![\d.])\.(?<decimals>\d{1,40})/uy, ({ decimals = '' }) => `point ${toDigits(decimals)}`],
  },
};

function toFraction(part: string, parts: string, isBehindWhole: boolean): string {
  const count = part === '1' && isBehindWhole && (parts === '2' || parts === '4') ? 'a' : toCardinal(part);
  const name = parts === '2' ? 'half' : parts === '4' ? 'quarter' : toOrdinal(parts);
  return `${count} ${name}${part === '1' ? '' : 's'}`;
}
