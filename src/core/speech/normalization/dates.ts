import { months } from '../../text/calendar.ts';
import { toOrdinal, toPair, toYear } from './number-words.ts';
import { globally, spokenAlike, type Groups, type Rule } from './rule.ts';

const month = String.raw`(?<month>Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?`;
const day = String.raw`(?<day>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?(?![\d:])`;
const year = String.raw`(?<year>1[1-9]\d\d|20\d\d)(?![\d,]\d|\d)`;

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

const weekday =
  '(?:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)(?:(?<=Mon|Tues|Fri|Sun)day|(?<=Wed)nesday|(?<=Thurs)day|(?<=Sat)urday)?';
/** The period of an abbreviation, unless it also ends a sentence. */
const innerPeriod = String.raw`(?:\.(?! ?(?:$|\n|\p{Lu})))?`;

const offset = String.raw`(?<sign>[+-])(?<hours>\d\d):?(?<minutes>\d\d)`;

/** Machine-readable timestamps, rewritten as a date and a time of day. */
export const timestampRules: readonly Rule[] = [
  [
    globally`(?<![\d-])(?<date>\d{4}-\d\d-\d\d)[Tt](?<time>\d\d:\d\d)(?::(?<seconds>\d\d)(?:\.\d+)?)?(?:(?<utc>Z)|${offset})?(?![\p{L}\d])`,
    ({ date = '', time = '', seconds = '00', utc, sign, hours = '', minutes = '' }) => {
      const clock = `${date}, ${time}${seconds === '00' ? '' : `:${seconds}`}`;
      if (sign === undefined) return utc === undefined ? clock : `${clock} UTC`;
      const distance = [Number(hours), ...(minutes === '00' ? [] : [minutes])].join(' ');
      return `${clock} UTC ${sign === '+' ? 'plus' : 'minus'} ${distance}`;
    },
  ],
];

/** Ranges of weekdays and of months. */
const spanRules: readonly Rule[] = [
  [
    globally`(?<![\p{L}-])(?<from>${weekday})\.?(?: to | ?[–—-] ?)(?<until>${weekday})(?![\p{L}-])${innerPeriod}`,
    ({ from = '', until = '' }) => `${fullDay(from)} to ${fullDay(until)}`,
  ],
  [
    globally`(?<![\p{L}-])${month} ?[–—-] ?${month.replace('month', 'last').replace(/\\\.\?$/, '')}(?![\p{L}-])${innerPeriod}`,
    ({ month: from = '', last = '' }) => `${fullName(from)} to ${fullName(last)}`,
  ],
];

/** Calendar days and months; dates with slashes are month first, as in the United States, unless impossible. */
export const dateRules: readonly Rule[] = [
  ...spanRules,
  ...spokenAlike(
    readDate,
    // `on 1/2 and 1/3`, `the 10/12 update`
    /(?<=(?<!\p{L})(?:[Oo]n (?:\d{1,2}\/\d{1,2}(?:,? and |, )){0,3}))(?<number>1[0-2]|0?[1-9])\/(?<day>[12]\d|3[01]|0?[1-9])(?=[,;!?)\n]|\.(?!\d)|$| (?:and|at|we|I|he|she|it|they)(?!\p{L}))/gu,
    /(?<=(?<!\p{L})[Tt]he )(?<number>1[0-2]|0?[1-9])\/(?<day>[12]\d|3[01]|0?[1-9])(?= (?:update|release|meeting|call|deadline|flight|game|show|email|report|outage)(?!\p{L}))/gu,
    globally`(?<![\d/-])${year}(?<mark>[-/])(?<number>0[1-9]|1[0-2])\k<mark>(?<day>0[1-9]|[12]\d|3[01])(?![\d/-])`,
    globally`(?<![\d.,])(?<day>[12]\d|3[01]|0?[1-9])\.(?<number>1[0-2]|0?[1-9])\.${year}(?![.,]?\d)`,
  ),
  [
    globally`(?<![\d/])(?<first>\d{1,2})/(?<second>\d{1,2})/(?:${year}|(?<short>\d\d))(?![\d/])`,
    ({ first = '', second = '', year: inYear, short }) => {
      const [number, inMonth] = Number(first) > 12 ? [second, first] : [first, second];
      return readDate({ number, day: inMonth, year: inYear ?? short });
    },
  ],
  [
    globally`(?<!\p{L})${month} ${day}[–-]${day.replace('day', 'last')}(?:,? ${year})?`,
    ({ last = '', year: inYear, ...from }) =>
      `${readDate(from)!} to ${toOrdinal(String(Number(last)))}${readYear(inYear)}`,
  ],
  [globally`(?<!\p{L})${month} ${day}(?:,? ${year})?`, readDate],
  [
    globally`(?<![\p{L}\d.,:/-])(?:the )?${day.replace('(?![\\d:])', '')} ?[–-] ?${day.replace('day', 'last')} ${month}(?!\p{L})(?:,? ${year})?`,
    ({ day: from = '', last = '', month: name = '', year: inYear }) =>
      `the ${toOrdinal(String(Number(from)))} to the ${toOrdinal(String(Number(last)))} of ${fullName(name)}${readYear(inYear)}`,
  ],
  [
    globally`(?<![\p{L}\d.,:])(?:the )?${day}(?: of)? ${month}(?!\p{L})(?:,? ${year})?`,
    (groups) => {
      const { day: inMonth = '', month: name = '', year: inYear } = groups;
      return `the ${toOrdinal(String(Number(inMonth)))} of ${fullName(name)}${readYear(inYear)}`;
    },
  ],
  [
    globally`(?<!\p{L})${month},? ${year}`,
    ({ month: name = '', year: inYear = '' }) => `${fullName(name)} ${toYear(inYear)}`,
  ],
  [
    /(?<!\p{L})(?<month>Jan|Feb|Apr|Aug|Sept?|Oct|Nov|Dec)\.(?= ?[\p{L},;])/gu,
    ({ month: name = '' }) => fullName(name),
  ],
  [
    /(?<=\p{Ll},? )(?<!the )(?<name>Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)\.(?= \p{Lu})/gu,
    ({ name = '' }) => `${fullDay(name)}.`,
  ],
  [
    /(?<!\p{L}|[Tt]he )(?<name>Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)(?:\.(?=(?<end>$)|,? ?\p{Ll}|, )|(?=, (?:\d|the \p{L}+ of \p{Lu})| \d{1,2}:\d\d))/gu,
    ({ name = '', end }) => `${fullDay(name)}${end === undefined ? '' : '.'}`,
  ],
];

/** A month by number or name, with a day and an optional year. */
function readDate({ number, month: name, day: inMonth = '', year: inYear }: Groups): string | undefined {
  const dayNumber = Number(inMonth);
  const spokenMonth = name === undefined ? months[Number(number) - 1] : fullName(name);
  if (spokenMonth === undefined || dayNumber < 1 || dayNumber > 31) return undefined;
  return `${spokenMonth} ${toOrdinal(String(dayNumber))}${readYear(inYear)}`;
}

function readYear(digits: string | undefined): string {
  if (digits === undefined) return '';
  return `, ${digits.length === 2 ? toPair(digits) : toYear(digits)}`;
}

function fullDay(name: string): string {
  return weekdays.find((candidate) => candidate.startsWith(name.slice(0, 3)))!;
}

function fullName(name: string): string {
  return months.find((candidate) => candidate.startsWith(name.slice(0, 3)))!;
}
