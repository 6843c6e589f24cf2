import { months } from '../text/calendar.ts';

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Python's `datetime.strftime` in the C locale, for a time without a zone. */
export function strftime(date: Date, format: string): string {
  return format.replace(/%(-?)([A-Za-z%])/g, (directive, dash: string, letter: string) => {
    const text = write(date, letter);
    if (text === undefined) return directive;
    return dash ? text.replace(/^[0 ]+(?=.)/, '') : text;
  });
}

function write(date: Date, letter: string): string | undefined {
  const day = days[date.getDay()] ?? '';
  const month = months[date.getMonth()] ?? '';
  const hour12 = date.getHours() % 12 || 12;
  switch (letter) {
    case 'a':
      return day.slice(0, 3);
    case 'A':
      return day;
    case 'b':
    case 'h':
      return month.slice(0, 3);
    case 'B':
      return month;
    case 'c':
      return strftime(date, '%a %b %e %H:%M:%S %Y');
    case 'd':
      return pad(date.getDate());
    case 'D':
    case 'x':
      return strftime(date, '%m/%d/%y');
    case 'e':
      return String(date.getDate()).padStart(2);
    case 'f':
      return pad(date.getMilliseconds() * 1000, 6);
    case 'F':
      return strftime(date, '%Y-%m-%d');
    case 'H':
      return pad(date.getHours());
    case 'I':
      return pad(hour12);
    case 'j':
      return pad(dayOfYear(date), 3);
    case 'm':
      return pad(date.getMonth() + 1);
    case 'M':
      return pad(date.getMinutes());
    case 'n':
      return '\n';
    case 'p':
      return date.getHours() < 12 ? 'AM' : 'PM';
    case 'R':
      return strftime(date, '%H:%M');
    case 'S':
      return pad(date.getSeconds());
    case 't':
      return '\t';
    case 'T':
    case 'X':
      return strftime(date, '%H:%M:%S');
    case 'u':
      return String(date.getDay() || 7);
    case 'w':
      return String(date.getDay());
    case 'y':
      return pad(date.getFullYear() % 100);
    case 'Y':
      return String(date.getFullYear());
    case 'z':
    case 'Z':
      return '';
    case '%':
      return '%';
    default:
      return undefined;
  }
}

function pad(value: number, length = 2): string {
  return String(value).padStart(length, '0');
}

function dayOfYear(date: Date): number {
  const start = Date.UTC(date.getFullYear(), 0, 0);
  return (Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - start) / 86_400_000;
}
