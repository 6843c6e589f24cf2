import { months } from '../text/calendar.ts';

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** The output of each letter; a text is a format itself. */
const directives: Readonly<Record<string, string | ((date: Date) => string)>> = {
  a: (date) => days[date.getDay()]!.slice(0, 3),
  A: (date) => days[date.getDay()]!,
  b: (date) => months[date.getMonth()]!.slice(0, 3),
  B: (date) => months[date.getMonth()]!,
  c: '%a %b %e %H:%M:%S %Y',
  d: (date) => pad(date.getDate()),
  D: '%m/%d/%y',
  e: (date) => String(date.getDate()).padStart(2),
  f: (date) => pad(date.getMilliseconds() * 1000, 6),
  F: '%Y-%m-%d',
  h: '%b',
  H: (date) => pad(date.getHours()),
  I: (date) => pad(date.getHours() % 12 || 12),
  j: (date) => pad(dayOfYear(date), 3),
  m: (date) => pad(date.getMonth() + 1),
  M: (date) => pad(date.getMinutes()),
  n: '\n',
  p: (date) => (date.getHours() < 12 ? 'AM' : 'PM'),
  R: '%H:%M',
  S: (date) => pad(date.getSeconds()),
  t: '\t',
  T: '%H:%M:%S',
  u: (date) => String(date.getDay() || 7),
  w: (date) => String(date.getDay()),
  x: '%D',
  X: '%T',
  y: (date) => pad(date.getFullYear() % 100),
  Y: (date) => String(date.getFullYear()),
  z: '',
  Z: '',
  '%': () => '%',
};

/** Python's `datetime.strftime` in the C locale, for a time without a zone. */
export function strftime(date: Date, format: string): string {
  return format.replace(/%(-?)([A-Za-z%])/g, (written, dash: string, letter: string) => {
    const directive = directives[letter];
    if (directive === undefined) return written;
    const text = typeof directive === 'string' ? strftime(date, directive) : directive(date);
    return dash ? text.replace(/^[0 ]+(?=.)/, '') : text;
  });
}

function pad(value: number, length = 2): string {
  return String(value).padStart(length, '0');
}

function dayOfYear(date: Date): number {
  const start = Date.UTC(date.getFullYear(), 0, 0);
  return (Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - start) / 86_400_000;
}
