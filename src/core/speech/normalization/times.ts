import { toCardinal, toNumber, toPair } from './number-words.ts';
import { sticky, type Grammar, type Groups, type TokenClass } from './token.ts';

const hour = String.raw`(?<hour>[01]?\d|2[0-3])`;
const zones = String.raw`(?:[CEMP][DS]?T|GMT|UTC|BST|CES?T)(?!\p{L})`;
/** The last period of `p.m.` also ends a sentence before a capital, unless that begins the name of a time zone. */
const half = String.raw`(?<half>[AaPp])(?:[Mm]|\.[Mm](?:(?<end>\.(?=["')]*(?:\n|$| (?!${zones})\p{Lu})))|\.)?)(?!\p{L})`;
const halfOf = `(?: ?${half})`;

const clock: Grammar = [
  // Durations: `1h 30m`, `2h30`, `19h00`

  sticky`(?<![\p{L}\d.,])(?<hours>\d{1,2}) ?h ?(?<minutes>[0-5]\d)(?![\p{L}\d]| ?(?:m|min|mins|s|sec)(?!\p{L}))`,
  ({ hours = '', minutes = '' }) =>
    `${toCardinal(String(Number(hours)))} ${Number(hours) === 1 ? 'hour' : 'hours'}${minutes === '00' ? '' : ` ${toPair(minutes)}`}`,

  sticky`(?:(?<=\d ?h(?:rs?)? ?)|(?<![\p{L}\d.,])(?=\d{1,2}m ago))(?<minutes>\d{1,2}) ?m(?![\p{L}\d])|(?<![\p{L}\d.,])(?<alone>\d{1,2})m ?(?<seconds>\d{1,2})s(?!\p{L})`,
  ({ minutes, alone, seconds }) =>
    count(minutes ?? alone!, 'minute') + (seconds === undefined ? '' : ` ${count(seconds, 'second')}`),
  sticky`(?<![\d:.])${hour}:(?<minute>[0-5]\d)(?::(?<second>[0-5]\d(?:\.\d{1,3})?))?(?![\d:]|,\d{3})${halfOf}?`,
  readTime,
  // Minutes and seconds, since the first number exceeds the hours of a day: `42:37`

  sticky`(?<![\d:.,])(?:24:00|(?<minutes>2[4-9]|[3-5]\d):(?<seconds>[0-5]\d))(?![\d:]|[.,]\d)`,
  ({ minutes, seconds = '' }) => {
    if (minutes === undefined) return 'twenty-four hundred';
    return `${toCardinal(minutes)} ${seconds === '00' ? 'minutes' : toPair(seconds)}`;
  },
  // `3.45 pm`
  sticky`(?<![\d:.,])${hour}\.(?<minute>[0-5]\d)${halfOf}`,
  readTime,
  sticky`(?<![\d:.,])(?<hour>1[0-2]|0?[1-9])${halfOf}`,
  readTime,
];

/** Times of the day, and durations that look like them. */
export const times: TokenClass = {
  when: /(?=\d{1,2}(?:[:.]\d\d| ?[hmsAPap])|[ap])/uy,
  words: ['a', 'p'],
  digits: clock,
  letters: [
    sticky`(?<![\p{L}.])${half.replace('(?:[Mm]|', '(?:')}`,
    ({ half: letter = '', end = '' }) => `${letter.toUpperCase()}M${end}`,
  ],
  marks: {
    '+-−': [
      sticky`(?<=UTC|GMT)(?<sign>[+−-])(?<hours>\d{1,2})(?::(?<minutes>\d\d))?(?!\d)`,
      ({ sign, hours = '', minutes = '00' }) =>
        ` ${sign === '+' ? 'plus' : 'minus'} ${toCardinal(String(Number(hours)))}${minutes === '00' ? '' : ` ${toPair(minutes)}`}`,
    ],
    '–—- ': [
      sticky`(?<=\d:\d\d(?: ?[AaPp]\.?[Mm]\.?)?) ?[–-] ?(?=\d{1,2}:\d\d)`,
      sticky`(?<=(?<![\d.,])\d{1,2}(?:[:.]\d\d)?(?: ?[AaPp]\.?[Mm]\.?)?) ?[–-] ?(?=\d{1,2}(?:[:.]\d\d)? ?[AaPp]\.?[Mm](?!\p{L}))`,
      sticky`(?<=\d ?[AaPp]\.?[Mm]\.?|(?<!\p{L})(?:[Nn]oon|[Mm]idnight)) ?[–—-] ?(?=\d|(?:noon|midnight)(?!\p{L}))`,
      ' to ',
    ],
  },
};

export function readTime({ hour: hours = '', minute, second, half: letter, end = '' }: Groups): string {
  const parts = [toCardinal(String(Number(hours)))];
  if (minute !== undefined && minute !== '00') parts.push(toPair(minute));
  if (minute === '00' && letter === undefined && second === undefined)
    parts.push(Number(hours) > 12 || hours.startsWith('0') ? 'hundred' : "o'clock");
  if (second !== undefined) {
    if (minute === '00') parts.push('oh oh');
    parts.push(`and ${count(String(Number(second)), 'second')}`);
  }
  if (letter !== undefined) parts.push(`${letter.toUpperCase()}M`);
  return parts.join(' ') + end;
}

function count(number: string, unit: string): string {
  return `${toNumber(number)} ${Number(number) === 1 ? unit : `${unit}s`}`;
}
