import { toCardinal, toPair } from './number-words.ts';
import { globally, spokenAlike, type Groups, type Rule } from './rule.ts';

const hour = String.raw`(?<hour>[01]?\d|2[0-3])`;
const half = String.raw`(?: ?(?<half>[AaPp])\.?[Mm](?:\.(?! ?$| ?\p{Lu}|\n)|(?!\p{L})))`;

export const timeRules: readonly Rule[] = [
  ...spokenAlike(
    ' to ',
    /(?<=\d:\d\d(?: ?[AaPp]\.?[Mm]\.?)?) ?[–-] ?(?=\d{1,2}:\d\d)/gu,
    /(?<=(?<![\d.,])\d{1,2}(?::\d\d)?(?: ?[AaPp][Mm])?) ?[–-] ?(?=\d{1,2}(?::\d\d)? ?[AaPp][Mm](?!\p{L}))/gu,
    /(?<=(?:\d ?[AaPp][Mm]|(?<!\p{L})(?:[Nn]oon|[Mm]idnight))) ?[–—-] ?(?=\d|(?:noon|midnight)(?!\p{L}))/gu,
  ),
  // Durations: `1h 30m`, `2h30`.
  [/(?<=\d ?h ?\d{1,2}) ?m(?![\p{L}\d])|(?<=\d)m ?(?=\d{1,2}s(?!\p{L}))/gu, ' min '],
  [/(?<=\d)h(?=[0-5]\d(?!\d))/g, ' h '],
  [globally`(?<![\d:.])${hour}:(?<minute>[0-5]\d)(?::(?<second>[0-5]\d))?(?![\d:]|,\d{3})${half}?`, readTime],
  // Minutes and seconds, since the first number exceeds the hours of a day: `42:37`.
  [
    /(?<![\d:.,])(?:24:00|(?<minutes>2[4-9]|[3-5]\d):(?<seconds>[0-5]\d))(?![\d:]|[.,]\d)/gu,
    ({ minutes, seconds = '' }) => {
      if (minutes === undefined) return 'twenty-four hundred';
      return `${toCardinal(minutes)} ${seconds === '00' ? 'minutes' : toPair(seconds)}`;
    },
  ],
  // `3.45 pm`
  [globally`(?<![\d:.,])${hour}\.(?<minute>[0-5]\d)${half}`, readTime],
  [globally`(?<![\d:.,])(?<hour>1[0-2]|0?[1-9])${half}`, readTime],
];

function readTime({ hour: hours = '', minute, second, half: letter }: Groups): string {
  const parts = [toCardinal(String(Number(hours)))];
  if (minute !== undefined && minute !== '00') parts.push(toPair(minute));
  if (minute === '00' && letter === undefined && second === undefined)
    parts.push(Number(hours) > 12 || hours.startsWith('0') ? 'hundred' : "o'clock");
  if (second !== undefined) {
    if (minute === '00') parts.push('oh oh');
    parts.push(`and ${toCardinal(String(Number(second)))} ${second === '01' ? 'second' : 'seconds'}`);
  }
  if (letter !== undefined) parts.push(`${letter.toUpperCase()}M`);
  return parts.join(' ');
}
