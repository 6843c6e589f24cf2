import { tableOf } from '../table-of.ts';
import { toDigits, toLabel } from './number-words.ts';
import { sticky, type Grammar, type TokenClass } from './token.ts';

const notBefore = String.raw`(?<![\p{L}\d+.,$€£-]|\d )`;
const notBehind = String.raw`(?![\d-]| \d|[.,]\d)`;

/** National forms by their groups; a number that could also be an amount needs its leading zero or its marks. */
const forms: Grammar = [
  // North America
  sticky`(?<![\d+.,-])(?:(?:\+?\d{1,3}[ .-])?(?:\(\d{3}\)[ -]?|\d{3}[ .-])\d{3}[.-]\d{4}(?:-\d{1,4})?|\d{3}-\d{4})(?![\d-])`,
  sticky`${notBefore}(?:\+?1 )?\(?[2-9]\d\d\)? [2-9]\d\d \d{4}${notBehind}`,
  // International
  sticky`(?<![\p{L}\d+])\+\d{1,3}(?:[ .-]?\(0?\d{0,4}\))?(?:[ .-]\d{1,7}){1,6}(?![\d-])`,
  sticky`(?<![\p{L}\d+])\+\d{8,15}(?![\d,.-])`,
  // A leading zero: `0800 123 456`, `07700 900123`, `0800-123-4567`, `01 23 45 67 89`
  sticky`${notBefore}(?:\(0\d{2,5}\) ?|0\d{1,4}[ /-])(?:\d{2,8}(?:[ -]\d{2,4}){0,4})(?<=(?:\d\D{0,2}){9,11})(?<!(?<!\d)\d\d[/-]\d\d[/-]\d{4})${notBehind}`,
  // Cards
  sticky`${notBefore}\d{4}(?<mark>[ -])\d{4}\k<mark>\d{4}\k<mark>\d{3,4}${notBehind}`,
  (_, number) => {
    const count = number.replace(/\D/g, '').length;
    if (count < (/^\+|^\(?0/.test(number) ? 8 : 7)) return undefined;
    return (number.startsWith('+') ? 'plus ' : '') + number.match(/\d+/g)!.map(toDialed).join(', ');
  },
];

const keys = tableOf('*:star, #:pound');

/** Telephone numbers, digit by digit. */
export const telephones: TokenClass = {
  when: /(?=[\d(][\d() .+/-]{7}|x|[18]\d*-)/uy,
  words: ['x'],
  digits: [
    ...forms,
    // `1-800-FLOWERS`

    sticky`(?<![\d.,-])(?:(?<country>1)[ -])?(?<area>8\d\d)-(?=\p{Lu}{2})`,
    ({ country, area = '' }) => `${country === undefined ? '' : 'one, '}${toDialed(area)}, `,
  ],
  letters: [
    sticky`(?<=^|\n|[(:,;] ?|\d{4} |(?:[Ee]xtension|[Dd]ial|[Cc]all|at|on) )x(?<number>\d{2,5})(?![\p{L}\d-]|[.,]\d)`,
    ({ number = '' }) => `extension ${number.length > 3 ? toDigits(number) : toLabel(number)}`,
  ],
  marks: {
    '+(': forms,
    // Codes to dial
    '*#': [
      sticky`(?<![\p{L}\d*#)])(?=[*#\d]{0,32}\*)[*#]\d{2,4}(?:[*#]\d{1,16}){0,3}#?(?![\d*#])`,
      (_, code) => code.replace(/\d+|[*#]/g, (part) => ` ${keys[part] ?? toDigits(part)} `).trim(),
    ],
  },
};

function toDialed(digits: string): string {
  return /^[1-9]00$/.test(digits) ? `${toDigits(digits.slice(0, 1))} hundred` : toDigits(digits);
}
