import { toCardinal, toDigits, toNumber, toOrdinal, toPlural, toYear } from './number-words.ts';
import { decimalNumber, globally, wholeNumber, type Rule } from './rule.ts';

const year = String.raw`(?:1[1-9]\d\d|20\d\d)`;

/** Ranges of numbers: `to` between them. The numbers stay, for the rules after these. */
export const rangeRules: readonly Rule[] = [
  {
    pattern: globally(String.raw`(?<![\d.,:–-])(?<from>${year}) ?[–-] ?(?<until>${year})(?![\d,.]\d|[\d–-])`),
    speak: ({ from = '', until = '' }) => `${toYear(from)} to ${toYear(until)}`,
  },
  { pattern: /(?<=[$€£]\d[\d,.]{0,12})-(?=[$€£]\d)/gu, speak: ' to ' },
  { pattern: /(?<=[\d%°]) ?– ?(?=[$€£¥]?\d)/gu, speak: ' to ' },
  { pattern: /(?<=(?<![\d-][.,:]?)\d{1,4}(?:\.\d{1,4})?)-(?=\d{1,4}(?![\d-]))/gu, speak: ' to ' },
];

/** Telephone numbers, digit by digit. */
export const phoneRules: readonly Rule[] = [
  {
    pattern:
      /(?<![\d+.,-])(?<number>(?:\+?\d{1,3}[ .-])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[.-]\d{4}|\d{3}-\d{4}|\+\d{1,3}(?: \d{2,5}){2,5})(?![\d-])/gu,
    speak: ({ number = '' }) => number.match(/\d+/g)!.map(toDigits).join(', '),
  },
];

/** Decades, which look like seconds. */
export const decadeRules: readonly Rule[] = [
  {
    pattern: /(?<![\d.,])(?<decade>(?:1[1-9]|20)\d0)'?s(?!\p{L})/gu,
    speak: ({ decade = '' }) => toPlural(toYear(decade)),
  },
  {
    pattern: /(?:(?<![\p{L}\d])'|(?<=(?<!\p{L})(?:the|early|late|mid)[ -]))(?<decade>[2-9]0)'?s(?!\p{L})/gu,
    speak: ({ decade = '' }) => toPlural(toCardinal(decade)),
  },
];

const scales: Readonly<Record<string, string>> = {
  k: 'thousand',
  K: 'thousand',
  M: 'million',
  B: 'billion',
  bn: 'billion',
};

/** Their numbers may have a letter that is no size: `Room 3B`. */
const lettered =
  '[Rr]oom|[Ss]eat|[Gg]ate|[Ff]lat|[Ss]uite|[Uu]nit|[Aa]partment|[Aa]pt|[Bb]uilding|[Pp]latform|[Ff]igure|[Ff]light';

/** Round numbers with a letter for their size; `4K` and `8K` are formats of pictures. */
export const scaleRules: readonly Rule[] = [
  {
    pattern: globally(
      String.raw`(?<![\p{L}\d.,-])(?<!(?:${lettered})\.? )(?![48]K(?!\p{L}))(?<number>${decimalNumber})(?<scale>k|K|M|B|bn)(?![\p{L}\d])`,
    ),
    speak: ({ number = '', scale = '' }) => `${toNumber(number)} ${scales[scale]!}`,
  },
];

/** All other numbers. */
export const numberRules: readonly Rule[] = [
  { pattern: /(?<![\d./])24\/7(?![\d/])/gu, speak: 'twenty-four seven' },
  {
    pattern: globally(
      String.raw`(?<=(?<!\p{L})(?:in|since|until|till|circa|during|year|summer|spring|autumn|fall|winter|early|late|mid|season|class of|back to) )(?<year>${year})(?![\d.,:/]\d|[\d%])`,
      'i',
    ),
    speak: ({ year: number = '' }) => toYear(number),
  },
  {
    pattern: globally(
      String.raw`(?<=(?<!\p{L})(?:from|between) )(?<from>${year}) (?<word>to|until|and) (?<until>${year})(?![\d.,:/]\d|[\d%])`,
      'i',
    ),
    speak: ({ from = '', word, until = '' }) => `${toYear(from)} ${word} ${toYear(until)}`,
  },
  {
    pattern: globally(
      String.raw`(?<=(?<!\p{L})(?:before|after|by|for|of|through|happy) )(?<year>${year})(?=[,;:!?)\n]|\.(?!\d)|$| (?:and|or|but|when|we|I|he|she|it|they|was|is|will|has|had)(?!\p{L}))`,
      'i',
    ),
    speak: ({ year: number = '' }) => toYear(number),
  },
  // Nothing but a year.
  { pattern: /^(?<year>(?:19|20)\d\d)(?=[.!?]?$)/gu, speak: ({ year: number = '' }) => toYear(number) },
  {
    pattern: globally(String.raw`(?<=\()(?<year>${year})(?=\))`),
    speak: ({ year: number = '' }) => toYear(number),
  },
  {
    pattern: globally(String.raw`(?<![\d.,])(?<number>${wholeNumber})(?:st|nd|rd|th)(?!\p{L})`),
    speak: ({ number = '' }) => toOrdinal(number),
  },
  {
    pattern:
      /(?<![\d.,/])(?:(?<whole>\d{1,9}) )?(?<part>\d{1,2})\/(?<parts>[2-9]|1[0-9]|20|32|64|100)(?![\d/]|[.,]\d)/gu,
    speak: ({ whole, part = '', parts = '' }) =>
      Number(part) === 0 || Number(part) >= Number(parts)
        ? undefined
        : `${whole === undefined ? '' : `${toCardinal(whole)} and `}${toFraction(part, parts, whole !== undefined)}`,
  },
  { pattern: /(?<=\d)\/(?=\d)/g, speak: ' over ' },
  {
    pattern: /(?<![\p{L}\d])(?<base>\d+(?:\.\d+)?)[eE](?<sign>[+-]?)(?<power>\d{1,3})(?![\p{L}\d])/gu,
    speak: ({ base = '', sign, power = '' }) =>
      `${toNumber(base)} times ten to the ${sign === '-' ? 'minus ' : ''}${toCardinal(power)}`,
  },
  // A letter and a digit are two words: `MP3`, `5G`, `COVID-19`.
  { pattern: /(?<=\p{L})-?(?=\d)|(?<=\d)-?(?=\p{L})/gu, speak: ' ' },
  {
    pattern: /(?<![\d.])(?<version>\d+(?:\.\d+){2,})(?!\d)/g,
    speak: ({ version = '' }) => version.split('.').map(toCardinal).join(' point '),
  },
  { pattern: /(?<=\d):(?=\d)/g, speak: ' to ' },
  { pattern: /(?<![\d.])\.(?<decimals>\d+)/g, speak: ({ decimals = '' }) => `point ${toDigits(decimals)}` },
  {
    pattern: globally(String.raw`(?<number>${decimalNumber})`),
    speak: ({ number = '' }) => toNumber(number),
  },
];

/** A sign before a number. */
export const signRules: readonly Rule[] = [
  { pattern: /(?<![\p{L}\d)\]'"-])-(?=[$€£¥]?\.?\d)/gu, speak: 'minus ' },
  { pattern: /(?<![\p{L}\d)\]])\+(?=[$€£¥]?\d)/gu, speak: 'plus ' },
];

function toFraction(part: string, parts: string, isBehindWhole: boolean): string {
  const count = part === '1' && isBehindWhole && (parts === '2' || parts === '4') ? 'a' : toCardinal(part);
  const name = parts === '2' ? 'half' : parts === '4' ? 'quarter' : toOrdinal(parts);
  if (part === '1') return `${count} ${name}`;
  return `${count} ${name}s`;
}
