import { tableOf } from '../table-of.ts';
const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const scales = ['', ' thousand', ' million', ' billion', ' trillion', ' quadrillion', ' quintillion'];
/** Digits of a number with commas, and without. */
const maxDigits = 3 * scales.length;
const maxPlainDigits = 15;

/** Names of scales by letter. */
export const scaleNames = tableOf(`k:thousand, m:million, b:billion, bn:billion, t:trillion`);
const irregularOrdinals = tableOf(
  `one:first, two:second, three:third, five:fifth, eight:eighth, nine:ninth, twelve:twelfth`,
);

/** Spells out an integer. Longer numbers and numbers with leading zeros are read digit by digit. */
export function toCardinal(number: string): string {
  const digits = number.replaceAll(',', '');
  const most = number === digits ? maxPlainDigits : maxDigits;
  if (digits.length > most || /^0\d/.test(digits)) return toDigits(digits);
  const groups = digits.match(/\d{1,3}(?=(?:\d{3})*$)/g)!.map(Number);
  const names = groups.map((group, at) => group && belowThousand(group) + scales[groups.length - 1 - at]!);
  return names.filter(Boolean).join(' ') || small[0]!;
}

export function toNumber(number: string): string {
  const [whole = '', decimals] = number.split('.');
  if (decimals === undefined) return toCardinal(whole);
  return `${whole === '' ? '' : `${toCardinal(whole)} `}point ${toDigits(decimals)}`;
}

export function toOrdinal(number: string): string {
  return toCardinal(number).replace(/[a-z]+$/, ordinalOf);
}

/** Spells out a year, as pairs of digits unless English doesn't. */
export function toYear(year: string): string {
  const century = year.slice(0, 2);
  const rest = year.slice(2);
  if (year.slice(1, 3) === '00') return toCardinal(year);
  if (rest === '00') return `${toCardinal(century)} hundred`;
  return `${toCardinal(century)} ${toPair(rest)}`;
}

/** Spells out the last two digits of a year or a time. */
export function toPair(digits: string): string {
  return digits.startsWith('0') ? `oh ${toCardinal(digits.slice(1))}` : toCardinal(digits);
}

/** Reads the number of a house, a room or a flight: in pairs of digits, or digit by digit from five digits on. */
export function toLabel(number: string): string {
  if (number.length < 3) return toCardinal(number);
  if (number.startsWith('0') || number.length > 4) return toDigits(number).replaceAll('zero', 'oh');
  if (number.length === 4) return toYear(number);
  const rest = number.slice(1);
  return `${toCardinal(number.charAt(0))} ${rest === '00' ? 'hundred' : toPair(rest)}`;
}

/** Reads the number of a port, a serial or an account: a zero in front is said. */
export function toCode(number: string): string {
  return number.length === 4 && !number.startsWith('0') ? toYear(number) : toDigits(number);
}

/** Reads a version: `1.10` is point ten, `22.04` point oh four. */
export function toVersion(version: string): string {
  const [major = '', ...others] = version.split('.');
  return [toCardinal(major), ...others.map((one) => (one.length === 2 ? toPair(one) : toCardinal(one)))].join(
    ' point ',
  );
}

export function toDigits(digits: string): string {
  return Array.from(digits, (digit) => small[Number(digit)]).join(' ');
}

/** Says the signs of a code, letters in capitals. */
export function spell(code: string, signs: RegExp): string {
  return code
    .match(signs)!
    .map((sign) => (/\d/.test(sign) ? toCardinal(sign) : sign.toUpperCase()))
    .join(' ');
}

export function toPlural(words: string): string {
  if (words.endsWith('y')) return words.replace(/y$/, 'ies');
  return words.endsWith('x') ? `${words}es` : `${words}s`;
}

function belowThousand(value: number): string {
  const hundreds = Math.floor(value / 100);
  const rest = value % 100;
  if (hundreds === 0) return belowHundred(rest);
  return rest === 0 ? `${small[hundreds]} hundred` : `${small[hundreds]} hundred ${belowHundred(rest)}`;
}

function belowHundred(value: number): string {
  if (value < small.length) return small[value]!;
  const units = value % 10;
  return units === 0 ? tens[value / 10]! : `${tens[Math.floor(value / 10)]}-${small[units]}`;
}

function ordinalOf(word: string): string {
  return irregularOrdinals[word] ?? (word.endsWith('y') ? word.replace(/y$/, 'ieth') : `${word}th`);
}
