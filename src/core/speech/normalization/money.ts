import { currencies, wordlikeCodes, type Currency } from './currency-table.ts';
import { scaleNames, toCardinal, toNumber } from './number-words.ts';
import {
  decimalNumber,
  oneOf,
  sticky,
  wholeNumber,
  type Grammar,
  type Groups,
  type TokenClass,
} from './token.ts';
import { nameOfDivisor, unitNames } from './measures.ts';

const codes = oneOf([...currencies.keys()].filter((key) => /^\p{L}+$/u.test(key) && key !== 'KR'));
const symbols = oneOf([...currencies.keys()].filter((key) => !/^\p{L}+$/u.test(key)));
const prefix = String.raw`(?<currency>\$ ?USD ?|USD ?\$ ?|(?:US |(?<![\p{L}$]))(?:${symbols}) ?|(?<![\p{L}$])(?:(?:${codes}) ?|Rs\.? ?))`;

/** Words after a price that don't name what has it: `the $5 he owes`. */
const notNouns =
  'he|she|it|they|we|you|that|which|who|in|on|to|of|for|from|by|at|as|and|or|but|is|was|were|are|will|has|had|can|would|not|more|less|each|per|a|an|the|off|out|back|we|if|when|with|up|down|into|over|than|then';
/** `a $5 bill` and `the $2bn plan` use the singular: five dollar. */
const article = String.raw`(?:(?<=(?<article>(?<!\p{L})(?:[Aa]n?|[Tt]he) ))|)`;
const noun = String.raw`(?=(?<noun> (?!(?:${notNouns})(?!\p{L}))\p{Ll})?)`;
const scale = String.raw`(?:[ -]?(?<scale>(?:thousand|million|billion|trillion|crore|lakh)s?(?!\p{L}))|(?<letter>[kmbt]|bn|[KMBT])(?![\p{L}\d]))?`;
const amount = `(?<amount>${decimalNumber})`;
const price = String.raw`(?:/(?<per>\p{L}{1,20})(?![\p{L}\d/]))?`;
const continental = String.raw`(?<whole>\d{1,3}(?:\.\d{3}){1,4}|\d{1,4})(?:,(?<hundredths>\d\d))?(?![\d,.]\d|\d)`;

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

const before: Grammar = [
  // `₹2,50,000`

  sticky`(?<sign>(?:₹|Rs\.?|INR) ?)?(?<![\p{L}\d.,])(?<number>\d{1,2}(?:,\d{2}){1,4},\d{3})(?![\d,]{0,9}\d)`,
  ({ sign, number = '' }) => toLakhs(number) + (sign === undefined ? '' : ' rupees'),
  // `€1.099,99`

  sticky`(?<![\p{L}$])(?<currency>(?:€|R\$|CHF|kr|PLN|SEK|NOK|DKK|BRL|CZK|EUR) ?)(?=\d{1,4},\d\d(?!\d)|\d[\d.]{4,16},\d\d(?!\d))${continental}`,
  ({ whole = '', hundredths, ...rest }) =>
    readAmount({ ...rest, amount: `${whole.replaceAll('.', '')}.${hundredths}` }),
  // Only the first number of a range has the sign.

  sticky`${prefix}(?<from>${decimalNumber})(?: ?[–-] ?| to (?=\S{1,20} (?:m|b|tr)illion))${amount}${scale}${price}(?![\d%])`,
  ({ from = '', ...until }) => {
    const sum = readAmount(until);
    return sum && `${toNumber(from)} to ${sum}`;
  },
  sticky`${article}${prefix}(?<minus>[-–])?${amount}${scale}(?: USD(?!\p{L}))?${price}${noun}`,
  readAmount,
];

const behind: Grammar = [
  sticky`(?<![\p{L}\d.,])${continental} ?(?<currency>€|EUR(?!\p{L}))`,
  ({ whole = '', hundredths, ...rest }) =>
    /^\d+$/.test(whole) && hundredths === undefined
      ? undefined
      : readAmount({
          ...rest,
          amount: whole.replaceAll('.', '') + (hundredths === undefined ? '' : `.${hundredths}`),
        }),
  sticky`(?<![\p{L}\d.,])${amount}${scale} ?(?<currency>[€£¥₹₩₽₺₪฿₫₱₦₴]|(?:${codes})(?![\p{L}\d]))${price}`,
  readAmount,

  sticky`(?<![\p{L}\d.,])(?<amount>${wholeNumber}) ?(?:¢|p(?= (?:coin|piece|stamp|each|per)|[,;!?)]|\.(?!\w)|$)(?<!^p|\d ?p(?=\.\d)))${price}`,
  ({ amount: number = '', per }, match) => {
    const names = match.includes('p') && !match.includes('¢') ? ['penny', 'pence'] : ['cent', 'cents'];
    return `${toCardinal(number)} ${names[number === '1' ? 0 : 1]}${readPer(per)}`;
  },
];

/** Amounts of money, with the sign or the code before them or behind. */
export const money: TokenClass = {
  when: /(?=\p{L}|\d[\d.,]{0,60}(?:[ -]?\p{L}{1,8})? ?(?:\p{Sc}|\p{Lu}{2}|zł|kr|Kč|Ft|лв|Fr|p)|\d{1,2},\d\d,)/uy,
  words: [...currencies.keys(), 'US', 'Rs', 'CA', 'A', 'C', 'HK', 'NZ', 'S', 'R', 'NT', 'MX', 'AU'].map(
    (key) => key.replace('$', ''),
  ),
  digits: [...before.slice(0, 2), ...behind],
  letters: before,
  marks: {
    '$€£¥₹₩₽₺₪฿₫₱₦₴₵₡₲₭₮₸₼₾৳៛': before,
    // `€135/50 ml`
    '/': [sticky`(?<=[$€£¥₩]\d[\d,.]{0,12})/(?=\d{1,4} ?(?:${unitNames})(?!\p{L}))`, ' per '],
  },
};

function readAmount({ article: determiner, noun: owner, minus, ...groups }: Groups): string | undefined {
  const { amount: number = '', currency: written = '', per } = groups;
  const sign = written
    .replace(/^US \$|^\$ ?USD|^USD ?\$/, (match) => (match === 'US $' ? 'US$' : '$'))
    .replace(/^Rs\.?/, '₹');
  const currency = currencies.get(sign.trim());
  if (!currency || (wordlikeCodes.test(sign.trim()) && !/,\d{3}|\.\d\d$/.test(number))) return undefined;
  const isAttribute = determiner !== undefined && owner !== undefined;
  return (minus === undefined ? '' : 'minus ') + readSum(groups, currency, isAttribute) + readPer(per);
}

function readPer(unit: string | undefined): string {
  if (unit === 'ea') return ' each';
  return unit === undefined ? '' : ` per ${nameOfDivisor(unit) ?? unit}`;
}

function readSum(
  { amount: number = '', scale: word, letter }: Groups,
  currency: Currency,
  isAttribute: boolean,
): string {
  const many = isAttribute ? currency.one : currency.many;
  const size = word ?? (letter && scaleNames[letter.toLowerCase()]);
  if (size !== undefined) return `${toNumber(number)} ${size} ${many}`;
  const [whole = '', hundredths] = number.split('.');
  if (hundredths?.length !== 2 || !currency.cents)
    return `${toNumber(number)} ${number === '1' ? currency.one : many}`;
  const isRound = hundredths === '00';
  const [cent, hundreds] = currency.cents;
  const parts: string[] = [];
  if (Number(whole.replaceAll(',', '')) > 0)
    parts.push(
      `${toCardinal(whole)} ${whole === '1' || (isAttribute && isRound) ? currency.one : currency.many}`,
    );
  const count = String(Number(hundredths));
  if (count !== '0' || parts.length === 0)
    parts.push(`${toCardinal(count)} ${count === '1' ? cent : hundreds}`);
  return parts.join(' and ');
}
