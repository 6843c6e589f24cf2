import { decimalNumber, sticky, type TokenClass } from './token.ts';

const sign = '[$€£¥₹₩₽₺₪฿₫]';

/** Dashes and hyphens beside numbers: a range, a sign, a difference, or nothing. */
export const ranges: TokenClass = {
  marks: {
    '-–— ': [
      sticky`(?<=\d) ?[–-] ?(?=\d{1,9}(?:\.\d{1,9})?(?: ?[-+*/×÷–] ?\d{1,9}){0,4} ?=)`,
      ' minus ',
      sticky`(?<=\d0'?s) ?[–-] ?(?=(?:1[1-9]|20)?\d0'?s(?!\p{L}))`,
      sticky`(?<=(?<![\p{L}\d])[QH][1-4])[–—-](?=[QH]?[1-4](?![\p{L}\d]))`,
      sticky`(?<=${sign}\d[\d,.]{0,12}(?:[kKMBT]|bn)?) ?[–-] ?(?=${sign}\d)|(?<=\d ?[%°])-(?=\d)`,
      sticky`(?<=\d ?[%°]) [–-] (?=\d[\d.,]{0,9} ?[%°])`,
      sticky`(?<=(?<![\p{L}\d.,-])\d{1,3}(?:,\d{3}){1,4})-(?=\d{1,3}(?:,\d{3}){1,4}(?![\d-]))`,
      sticky`(?<=\d(?:st|nd|rd|th))[-–](?=\d{1,3}(?:st|nd|rd|th)(?!\p{L}))`,
      sticky`(?<=\d(?:st|nd|rd|th|[%°]| ?°[CF]| ?\p{L}{1,3})?) ?– ?(?=${sign}?\d)`,
      sticky`(?<=(?<![\p{L}\d-][.,:]?)\d{1,4}(?:\.\d{1,4})?)-(?=\d{1,4}(?:\.\d{1,4})?(?![\d-]))`,
      sticky`(?<=(?<![\p{L}\d-])\d{1,3} ?(?:km|m|cm|mm|kg|g|lbs?|oz|ml|l|L|min|hrs?|GB|MB|[kKM]|°[CF]))-(?=\d{1,4} ?[\p{L}°])`,
      ' to ',
      // `3-1/2`, and letters beside digits
      sticky`(?<=(?<![\p{L}\d.,/-])\d{1,3})-(?=\d{1,2}/(?:2|3|4|8|16)(?!\d))`,
      ' ',
      sticky`(?<=\d(?:\p{L}|\^\d)?|\)) - (?=${sign}?\d|\()`,
      ' minus ',

      sticky`(?<=(?<!\p{L})\p{Ll}|(?<!\p{L})\d{0,3}\p{Ll}) - (?=\d|\p{Ll}(?!\p{L}))(?<=(?<!(?<!\p{L})a) - |a - (?=\p{Ll}(?!\p{L})))`,
      ' minus ',
      /(?<=\p{L})-(?=\d)|(?<=\d)-(?=\p{L})/uy,
      ' ',
      /(?<=\p{L}\d{0,9})-(?=\d)/uy,
      ' ',
      sticky`(?<![\p{L}\d)\]'"%°^]|\d |-)[–-](?=${sign}?(?:${decimalNumber}))`,
      'minus ',
      sticky`(?<=\^)-(?=\d)`,
      'minus ',
      sticky`(?<=(?:^|\n|[(=+*/×÷<>] ?))-(?=\p{Ll}(?!\p{L}))`,
      'minus ',
      / [–-] /uy,
      '—',
    ],
    '−': [/−/uy, ' minus '],
  },
};
