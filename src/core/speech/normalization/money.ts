import { scaleNames, toCardinal, toNumber } from './number-words.ts';
import { decimalNumber, globally, spokenAlike, type Groups, type Rule } from './rule.ts';
import { nameOfUnit } from './units.ts';

interface Currency {
  readonly one: string;
  readonly many: string;
  /** Singular and plural of the hundredth; `undefined` if the currency has no such unit. */
  readonly cents?: readonly [one: string, many: string];
}

const cents = ['cent', 'cents'] as const;
const dollars: Currency = { one: 'dollar', many: 'dollars', cents };
const euros: Currency = { one: 'euro', many: 'euros', cents };
const pounds: Currency = { one: 'pound', many: 'pounds', cents: ['penny', 'pence'] };
const yen: Currency = { one: 'yen', many: 'yen' };
const rupees: Currency = { one: 'rupee', many: 'rupees', cents: ['paisa', 'paise'] };
const francs: Currency = { one: 'franc', many: 'francs', cents };
const dollarsOf = (country: string): Currency => ({
  one: `${country} dollar`,
  many: `${country} dollars`,
  cents,
});
const canadian = dollarsOf('Canadian');
const australian = dollarsOf('Australian');

const currencies: Readonly<Record<string, Currency>> = {
  $: dollars,
  US$: dollarsOf('US'),
  C$: canadian,
  CA$: canadian,
  CAD: canadian,
  A$: australian,
  AU$: australian,
  AUD: australian,
  USD: dollars,
  '€': euros,
  EUR: euros,
  '£': pounds,
  GBP: pounds,
  '¥': yen,
  JPY: yen,
  '₹': rupees,
  INR: rupees,
  CHF: francs,
};

/** Billed things and periods that aren't units of measure. */
const billed: ReadonlyMap<string, string> = new Map([
  ['wk', 'week'],
  ['mo', 'month'],
  ['yr', 'year'],
]);

const codes = 'USD|EUR|GBP|JPY|INR|CHF|CAD|AUD';
const sign = String.raw`(?:US|CA?|AU?)\$|[$€£¥₹]`;
/** `a $5 bill` and `the $2bn plan` use the singular: five dollar. */
const article = String.raw`(?<article>(?<!\p{L})(?:[Aa]n?|[Tt]he(?= \S{2,9} ?(?:[mbt]n?|(?:m|b|tr)illion) (?!(?:[hs]?he|it|they|we|you|I|that|which|in|on|to|of|for|from|by|at|as|and|or|is|was|will|has|had)(?!\p{L})))) )?`;
const scale = String.raw`(?:[ -]?(?<scale>(?:thousand|million|billion|trillion)(?!\p{L}))|(?<letter>[kmbt]|bn|[KMBT])(?![\p{L}\d]))?`;
const amount = `(?<amount>${decimalNumber})`;
const price = String.raw`(?:/(?<per>\p{L}+)(?![\p{L}\d/]))?`;

/** Ranges in which only the first number has a currency sign. */
export const moneyRangeRules: readonly Rule[] = [
  [/(?<![\p{L}$])(?:\$ ?USD|USD ?\$) ?(?=\d)/gu, '$$'],
  [/(?<=(?<!\p{L})US) (?=\$\d)/gu, ''],
  [/(?<=\$\d[\d,.]{0,15}) USD(?!\p{L})/gu, ''],
  [
    globally`(?<![\p{L}$])(?<currency>${sign}|(?:${codes}) )(?<from>${decimalNumber})(?: ?[–-] ?| to (?=\S+ (?:m|b|tr)illion))${amount}${scale}${price}(?![\d%])`,
    ({ from = '', ...until }) => `${toNumber(from)} to ${readAmount(until)}`,
  ],
];

/** Reads a number in lakhs and crores. */
function toLakhs(number: string): string {
  const digits = number.replaceAll(',', '');
  const parts = [
    [digits.slice(0, -7), ' crore'],
    [digits.slice(-7, -5), ' lakh'],
    [digits.slice(-5), ''],
  ] as const;
  return parts
    .filter(([part]) => Number(part) > 0)
    .map(([part, name]) => toCardinal(String(Number(part))) + name)
    .join(' ');
}

export const moneyRules: readonly Rule[] = [
  [/(?<!\p{L})Rs\.? ?(?=\d)/gu, '₹'],
  // `€1.099,99` and `1.299 €`: continental notation
  [
    /(?<=€ ?)(?<whole>\d{1,3}(?:\.\d{3}){1,4}),(?<cents>\d\d)(?!\d)/gu,
    ({ whole = '', cents: hundredths }) => `${whole.replaceAll('.', '')}.${hundredths}`,
  ],
  [
    /(?<![\p{L}\d.,])(?<whole>\d{1,3}(?:\.\d{3}){1,4})(?:,(?<cents>\d\d))?(?= ?€)/gu,
    ({ whole = '', cents: hundredths }) =>
      whole.replaceAll('.', '') + (hundredths === undefined ? '' : `.${hundredths}`),
  ],
  // `₹2,50,000`
  [
    /(?<=(?<sign>₹|(?<!\p{L})INR )?)(?<![\p{L}\d.,])(?<number>\d{1,2}(?:,\d{2}){1,4},\d{3})(?![\d,]*\d)/gu,
    ({ sign: rupee, number = '' }) => toLakhs(number) + (rupee === undefined ? '' : ' rupees'),
  ],
  [/₹(?=[a-z])|(?<!\p{L})INR (?=[a-z-]+ (?:crore|lakh))/gu, ''],
  [/(?<=\d),(?=\d\d ?€)|(?<=€ ?\d{1,4}),(?=\d\d(?![\d,]))/g, '.'],
  ...spokenAlike(
    readAmount,
    globally`${article}(?<![\p{L}$])(?<currency>${sign}|(?:${codes}) )${amount}${scale}${price}(?=(?<noun> \p{Ll})?)`,
    globally`(?<![\p{L}\d.,])${amount}${scale} ?(?<currency>[€£¥₹]|(?:${codes})(?!\p{L}))${price}`,
  ),
  [
    globally`(?<![\p{L}\d.,])${amount} ?¢${price}`,
    ({ amount: number = '', per }) =>
      `${toNumber(number)} ${number === '1' ? cents[0] : cents[1]}${readPer(per)}`,
  ],
];

function readAmount(groups: Groups): string {
  const { article: before = '', noun, ...sum } = groups;
  const isAttribute = before !== '' && noun !== undefined;
  return before + readSum(sum, isAttribute) + readPer(groups['per']);
}

function readPer(unit: string | undefined): string {
  if (unit === 'ea') return ' each';
  return unit === undefined ? '' : ` per ${billed.get(unit) ?? nameOfUnit(unit) ?? unit}`;
}

function readSum(
  { currency: symbol = '', amount: number = '', scale: word, letter }: Groups,
  isAttribute = false,
): string {
  const currency = currencies[symbol.trim()]!;
  const many = isAttribute ? currency.one : currency.many;
  const size = word ?? (letter && scaleNames[letter.toLowerCase()]);
  if (size !== undefined) return `${toNumber(number)} ${size} ${many}`;
  const [whole = '', hundredths] = number.split('.');
  if (hundredths?.length !== 2 || !currency.cents)
    return `${toNumber(number)} ${number === '1' ? currency.one : many}`;
  const [cent, hundreds] = currency.cents;
  const parts: string[] = [];
  if (Number(whole.replaceAll(',', '')) > 0)
    parts.push(`${toCardinal(whole)} ${whole === '1' ? currency.one : currency.many}`);
  const count = String(Number(hundredths));
  if (count !== '0' || parts.length === 0)
    parts.push(`${toCardinal(count)} ${count === '1' ? cent : hundreds}`);
  return parts.join(' and ');
}
