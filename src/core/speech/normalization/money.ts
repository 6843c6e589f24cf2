import { toCardinal, toNumber } from './number-words.ts';
import { decimalNumber, globally, type Groups, type Rule } from './rule.ts';
import { nameOfUnit } from './units.ts';

interface Currency {
  readonly one: string;
  readonly many: string;
  /** The hundredth, one and many; `undefined` where there is none. */
  readonly cents?: readonly [one: string, many: string];
}

const cents = ['cent', 'cents'] as const;
const dollars: Currency = { one: 'dollar', many: 'dollars', cents };
const euros: Currency = { one: 'euro', many: 'euros', cents };
const pounds: Currency = { one: 'pound', many: 'pounds', cents: ['penny', 'pence'] };
const yen: Currency = { one: 'yen', many: 'yen' };
const rupees: Currency = { one: 'rupee', many: 'rupees', cents: ['paisa', 'paise'] };
const francs: Currency = { one: 'franc', many: 'francs', cents };

const currencies: Readonly<Record<string, Currency>> = {
  $: dollars,
  US$: dollars,
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

const scales: Readonly<Record<string, string>> = {
  k: 'thousand',
  m: 'million',
  b: 'billion',
  bn: 'billion',
  t: 'trillion',
};

/** Things that have a price and are no unit of measure. */
const billed: ReadonlyMap<string, string> = new Map([
  ['wk', 'week'],
  ['mo', 'month'],
  ['yr', 'year'],
]);

const scale = String.raw`(?: ?(?<scale>(?:thousand|million|billion|trillion)(?!\p{L}))|(?<letter>[kmbt]|bn|[KMBT])(?![\p{L}\d]))?`;
const amount = `(?<amount>${decimalNumber})`;
const price = String.raw`(?:/(?<per>\p{L}+)(?![\p{L}\d/]))?`;

/** Amounts of money. */
export const moneyRules: readonly Rule[] = [
  {
    pattern: globally(
      String.raw`(?<![\p{L}$])(?<currency>US\$|[$€£¥₹]|(?:USD|EUR|GBP|JPY|INR|CHF) )${amount}${scale}${price}`,
    ),
    speak: readAmount,
  },
  {
    pattern: globally(
      String.raw`(?<![\p{L}\d.,])${amount}${scale} ?(?<currency>[€£¥₹]|(?:USD|EUR|GBP|JPY|INR|CHF)(?!\p{L}))${price}`,
    ),
    speak: readAmount,
  },
  {
    pattern: globally(String.raw`(?<![\p{L}\d.,])${amount} ?¢${price}`),
    speak: ({ amount: number = '', per }) =>
      `${toNumber(number)} ${number === '1' ? cents[0] : cents[1]}${readPer(per)}`,
  },
];

function readAmount(groups: Groups): string {
  return readSum(groups) + readPer(groups['per']);
}

function readPer(unit: string | undefined): string {
  if (unit === 'ea') return ' each';
  return unit === undefined ? '' : ` per ${billed.get(unit) ?? nameOfUnit(unit) ?? unit}`;
}

function readSum({ currency: symbol = '', amount: number = '', scale: word, letter }: Groups): string {
  const currency = currencies[symbol.trim()]!;
  const size = word ?? (letter && scales[letter.toLowerCase()]);
  if (size !== undefined) return `${toNumber(number)} ${size} ${currency.many}`;
  const [whole = '', hundredths] = number.split('.');
  if (hundredths?.length !== 2 || !currency.cents) {
    return `${toNumber(number)} ${number === '1' ? currency.one : currency.many}`;
  }
  const [one, many] = currency.cents;
  const parts: string[] = [];
  if (Number(whole.replaceAll(',', '')) > 0)
    parts.push(`${toCardinal(whole)} ${whole === '1' ? currency.one : currency.many}`);
  const count = String(Number(hundredths));
  if (count !== '0' || parts.length === 0) parts.push(`${toCardinal(count)} ${count === '1' ? one : many}`);
  return parts.join(' and ');
}
