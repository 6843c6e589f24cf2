import { months } from '../../text/calendar.ts';
import { toCardinal, toOrdinal, toPair, toYear } from './number-words.ts';
import { sticky, type Grammar, type Groups, type TokenClass } from './token.ts';
import { readTime } from './times.ts';

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const monthNames = [...months, 'Sept', ...months.map((name) => name.slice(0, 3))];
const dayNames = [...weekdays, 'Tues', 'Thurs', 'Thur', ...weekdays.map((name) => name.slice(0, 3))];
const shout = (names: readonly string[]): string[] => [...names, ...names.map((name) => name.toUpperCase())];
/** Months in lower case that are no words. */
const lowerMonths = monthNames.map((name) => name.toLowerCase()).filter((name) => !/^mar|^may/.test(name));
/** As a month, `may` has a year. */
const beforeYear = String.raw`ma[yr](?=,? (?:1\d|20)\d\d(?!\d))`;

const month = String.raw`(?<month>${[...shout(monthNames), ...lowerMonths, beforeYear].join('|')})(?!\p{L})\.?`;
const day = String.raw`(?<day>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?(?![\d:])`;
const year = String.raw`(?<year>1[0-9]\d\d|20\d\d)(?![\d,]\d|\d)`;
const behindDay = `(?:(?:,? |[,-])${year})?`;
const weekday = `(?:${shout(dayNames).join('|')})`;
const rename = (source: string, name: string): string => source.replace(/<\w+>/, `<${name}>`);

/** The period of an abbreviation, unless it also ends a sentence. */
const innerPeriod = String.raw`(?:\.(?! ?(?:$|\n|\p{Lu})))?`;
const monthNumber = String.raw`(?<number>1[0-2]|0?[1-9])`;
const plainDay = String.raw`(?<day>[12]\d|3[01]|0?[1-9])`;

const timestamp: Grammar = [
  sticky`(?<![\d-])${year}-(?<number>0[1-9]|1[0-2])-(?<day>0[1-9]|[12]\d|3[01])[Tt](?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d)(?::(?<second>[0-5]\d)(?:\.\d{1,9})?)?(?:(?<utc>Z)|(?<sign>[+-])(?<hours>\d\d):?(?<minutes>\d\d))?(?![\p{L}\d])`,
  ({ hour, minute, second, utc, sign, hours = '', minutes, ...date }) => {
    const clock = `${readDate(date)}, ${readTime({ hour, minute, second: second === '00' ? undefined : second })}`;
    if (sign === undefined) return utc === undefined ? clock : `${clock} UTC`;
    const distance = [hours, ...(minutes === '00' ? [] : [minutes!])].map((part) =>
      toCardinal(String(Number(part))),
    );
    return `${clock} UTC ${sign === '+' ? 'plus' : 'minus'} ${distance.join(' ')}`;
  },
];

const numeric: Grammar = [
  // `on 1/2 and 1/3`, `the 10/12 update`
  sticky`(?<=(?<!\p{L})[Oo]n (?:\d{1,2}/\d{1,2}(?:,? and |, )){0,3})${monthNumber}/${plainDay}(?=[,;!?)\n]|\.(?!\d)|$| (?:and|at|we|I|he|she|it|they)(?!\p{L}))`,
  sticky`(?<=(?<!\p{L})[Tt]he )${monthNumber}/${plainDay}(?= (?:update|release|meeting|call|deadline|flight|game|show|email|report|outage)(?!\p{L}))`,
  sticky`(?<![\d/-])${year}(?<mark>[-/]|\.(?=\d\d\.\d\d))${monthNumber}\k<mark>${plainDay}(?![\d/-])`,
  sticky`(?<![\d.,])${plainDay}\.${monthNumber}\.${year}(?![.,]?\d)`,
  sticky`(?<![\w.,-])(?=(?:19|20)\d{6}(?![\w,-]|\.\d| \p{Ll}))(?<year>\d{4})(?<number>0[1-9]|1[0-2])(?<day>0[1-9]|[12]\d|3[01])`,
  readDate,
  // Month first, as in the United States, unless impossible.

  sticky`(?<![\d/-])(?<first>\d{1,2})(?<mark>[/-])(?<second>\d{1,2})\k<mark>(?:${year}|(?<short>(?<!-)\d\d))(?![\d/-])`,
  ({ first = '', second = '', year: inYear, short }) => {
    const [number, inMonth] = Number(first) > 12 ? [second, first] : [first, second];
    return readDate({ number, day: inMonth, year: inYear ?? short });
  },
];

const dayFirst: Grammar = [
  sticky`(?<![\p{L}\d.,:/-])(?:(?<=(?<the>(?<!\p{L})[Tt]he ))|)${day.replace('(?![\\d:])', '')} ?[–-] ?${rename(day, 'last')} ${month}(?!\p{L})${behindDay}`,
  ({ the, day: from = '', last = '', month: name = '', year: inYear }) =>
    `${the ? '' : 'the '}${toOrdinal(String(Number(from)))} to the ${toOrdinal(String(Number(last)))} of ${fullName(name)}${readYear(inYear)}`,

  sticky`(?<![\p{L}\d.,:])(?:(?<=(?<the>(?<!\p{L})[Tt]he ))|)${day}(?: (?<of>of )?|-)${month}(?!\p{L})${behindDay}`,
  ({ the, of, day: inMonth = '', month: name = '', year: inYear }) =>
    `${the || of ? '' : 'the '}${toOrdinal(String(Number(inMonth)))} of ${fullName(name)}${readYear(inYear)}`,
];

const named: Grammar = [
  sticky`(?<![\p{L}-])(?<from>${weekday})\.?(?: to | ?[–—-] ?)(?<until>${weekday})(?![\p{L}-])${innerPeriod}`,
  ({ from = '', until = '' }) => `${fullDay(from)} to ${fullDay(until)}`,

  sticky`(?<![\p{L}-])${month} ?[–—-] ?${rename(month, 'until').replace(/\\\.\?$/, '')}(?![\p{L}-])(?:\.? ${year}|${innerPeriod})`,
  ({ month: from = '', until = '', year: inYear }) =>
    `${fullName(from)} to ${fullName(until)}${inYear === undefined ? '' : ` ${toYear(inYear)}`}`,

  sticky`(?<!\p{L})${month} ${day} ?[–-] ?${rename(day, 'last')}${behindDay}`,
  ({ last = '', year: inYear, ...from }) =>
    `${readDate(from)!} to ${toOrdinal(String(Number(last)))}${readYear(inYear)}`,
  sticky`(?<!\p{L})${month}[ -]${day}(?![%.]\d|%)${behindDay}`,
  readDate,

  sticky`(?<!\p{L})${month},? ${year}`,
  ({ month: name = '', year: inYear = '' }) => `${fullName(name)} ${toYear(inYear)}`,

  sticky`(?<!\p{L})(?<month>Jan|Feb|Apr|Aug|Sept?|Oct|Nov|Dec)\.(?= ?[\p{L},;])`,
  ({ month: name = '' }) => fullName(name),

  sticky`(?<=\p{Ll},? )(?<!the )(?<name>Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)\.(?= \p{Lu})`,
  ({ name = '' }) => `${fullDay(name)}.`,

  sticky`(?<!\p{L}|[Tt]he )(?<name>Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)(?:\.(?=(?<end>$)|,? ?\p{Ll}|, )|(?=, (?:\d|the \p{L}+ of \p{Lu}|${monthNames.join('|')})| \d{1,2}:\d\d))`,
  ({ name = '', end }) => `${fullDay(name)}${end === undefined ? '' : '.'}`,
];

/** Calendar days, months and weekdays. */
export const dates: TokenClass = {
  when: /(?=\p{L}|\d{1,8}(?:st|nd|rd|th)? ?(?:[-–./\p{Lu}]|of |[jfmasond])|\d{8})/uy,
  words: [...shout(monthNames), ...lowerMonths, ...shout(dayNames)],
  digits: [...timestamp, ...numeric, ...dayFirst],
  letters: named,
};

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

const fullDay = (name: string): string => longName(weekdays, name);
const fullName = (name: string): string => longName(months, name);

function longName(names: readonly string[], name: string): string {
  return names.find((candidate) => candidate.slice(0, 3).toLowerCase() === name.slice(0, 3).toLowerCase())!;
}
