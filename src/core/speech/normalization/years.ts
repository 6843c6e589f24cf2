import { unitNames } from './measures.ts';
import { toCardinal, toLabel, toYear } from './number-words.ts';
import { sticky, stickyInAnyCase, type TokenClass } from './token.ts';

const year = String.raw`(?:1[0-9]\d\d|20\d\d)`;
/** Before a quantity. */
const counting =
  'is|are|was|were|be|of|about|to|than|over|under|only|exactly|nearly|almost|cost|costs|has|have|had|number|total|pay|paid|for|and|or';

/** A list of numbers in the range of years; all of them are read as years. */
const list = sticky`(?<![\p{L}\d.,:/$€£-]|\d, |\d (?:and|or) )(?<years>${year}(?:(?:, (?:and |or )?| and | or )${year}){1,20})(?=[;:!?)\n]|, \p{L}|\.(?!\d)|$| (?:was|were|is|are|saw|had)(?!\p{L}))`;

/** Years, and spans of them. */
export const years: TokenClass = {
  when: /(?=\d{3,4}(?!\d))/uy,
  digits: [
    sticky`(?<![\p{L}\d.,])(?:(?<from>\d{3}) ?[–-] ?)?(?<until>\d{3})(?= (?:BCE?|CE|AD)(?!\p{L})| (?:B\.C|A\.D))`,
    ({ from, until = '' }) => `${from === undefined ? '' : `${toLabel(from)} to `}${toLabel(until)}`,

    sticky`(?<![\d.,:–-])(?<from>${year}) ?[–-] ?(?<until>${year})(?![\d,.]\d|[\d–-]| ?(?:${unitNames})(?!\p{L}))`,
    ({ from = '', until = '' }) => `${toYear(from)} to ${toYear(until)}`,

    sticky`(?<![\d.,:–-])(?<century>1\d|20)(?<from>\d\d)[–-](?<until>\d\d)(?![\d–-]|[.,:]\d)`,
    ({ century = '', from = '', until = '' }) =>
      Number(until) > Number(from) ? `${toYear(century + from)} to ${toCardinal(until)}` : undefined,

    sticky`(?<![\d.,:–-])(?<from>${year}) ?[–—-] ?(?=(?:[Pp]resent|[Nn]ow|[Tt]oday)(?!\p{L}))`,
    ({ from = '' }) => `${toYear(from)} to `,
    list,
    ({ years: all = '' }) => all.replace(/\d+/g, toYear),

    stickyInAnyCase`(?<=(?<!\p{L})(?:from|between) )(?<from>${year}) (?<word>to|until|and) (?<until>${year})(?![\d.,:/]\d|[\d%])`,
    ({ from = '', word, until = '' }) => `${toYear(from)} ${word} ${toYear(until)}`,
    // At the beginning of a sentence.
    sticky`(?<=^|\n|[.!?] )${year}(?= (?:was|is|saw|had|will|brought|marked|began|ended)(?!\p{L}))`,
    stickyInAnyCase`(?<=\p{L},? )(?<!(?<!\p{L})(?:${counting}) )(?:19\d\d|20[0-4]\d)(?=[,;!?)\n]|\.(?!\d)|$)(?!,\d)`,
    stickyInAnyCase`(?<=(?<!\p{L})(?:in|since|until|till|circa|during|year|summer|spring|autumn|fall|winter|early|late|mid|season|class of|back to|fiscal|from) )${year}(?![\d.,:/]\d|[\d%])(?!(?<=from \d{4}) to \d)`,
    stickyInAnyCase`(?<=(?<!\p{L})(?:before|after|by|for|of|through|happy) )${year}(?=[,;:!?)\n]|\.(?!\d)|$| (?:and|or|but|when|we|I|he|she|it|they|was|is|will|has|had)(?!\p{L}))`,
    sticky`(?<=(?<!\p{L})(?:[Bb]orn|[Dd]ied|[bdcr]\.|[Cc]a\.|[Ee]st\.|FY|[QH][1-4]|AD|[Cc]opyright|©) ?)${year}(?![\d.,:/-]\d|[\d%])|(?<=(?<!\p{L})[Tt]he )(?:19|20)(?!00)\d\d(?= \p{L})`,
    // The whole text, or the beginning of a line.
    /(?<=(?:^|\n)(?:\d{1,2}[.)] )?)(?:19|20)\d\d(?=[.!?]?$| \p{Lu}|[,:] [\p{L}\d])/uy,
    sticky`(?<=\()${year}(?=\))`,
    (_, digits) => toYear(digits),
  ],
};
