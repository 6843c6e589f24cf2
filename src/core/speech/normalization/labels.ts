import { toCardinal, toDigits, toPair, toYear } from './number-words.ts';
import { globally, spokenAlike, type Rule } from './rule.ts';

/** Nouns with a number for a name, after which a letter isn't a scale: `Room 3B`. */
const numbered = [
  '[Rr]oom|[Ss]uite|[Ss]tudio|[Ff]lat|[Aa]partment|Apt|[Uu]nit|[Bb]uilding|[Gg]ate|[Ss]eat|[Pp]latform|[Ff]igure|[Gg]rade',
  '[Ff]light|[Hh]ighway|Interstate|[Rr]oute|[Ee]xit|[Bb]us|Boeing|Airbus',
  'HTTP|[Ee]rror|[Ee]rror code|[Ss]tatus|[Ss]tatus code|[Ee]xtension|[Cc]hannel|Form|Box|H R|ISO|RFC|RTX|GTX|SHA',
].join('|');

const emergencies = '911|999|112|988';

/** Numbers as names: of rooms, flights, roads, products, codes. */
export const labelRules: readonly Rule[] = [
  [
    globally`(?<=(?<!\p{L})ISBN(?:-1[03])?:? )(?<code>\d{1,5}(?:[- ]?(?:\d{1,7}|X)){1,5})(?![\p{L}\d])`,
    ({ code = '' }) => code.split(/[- ]/).map(toCode).join(', '),
  ],
  ...spokenAlike(
    (_, digits) => toDigits(digits),
    /(?<=(?<!\p{L})(?:PIN|[Cc]ode)(?: is|:)? )\d{4,8}(?![\p{L}\d]|[.,:-]\d)/gu,
    globally`(?<=(?:[Cc]all|[Dd]ial|[Tt]ext) )(?:${emergencies})(?![\d-]|[.,]\d)|(?<![\d.,$-])(?:${emergencies})(?= calls?(?!\p{L}))`,
    /(?<=(?<!\p{L})ending (?:in|with) )\d{3,4}(?![\p{L}\d]|[.,:-]\d)/gu,
  ),
  // `Retry 2/5`
  [
    /(?<=(?<!\p{L})(?:[Rr]etry|[Tt]ry|[Aa]ttempt|[Ss]tep|[Pp]age|[Pp]art|[Bb]atch|[Ee]poch|[Tt]est|[Ss]lide|[Ll]evel) \d{1,4})\/(?=\d{1,4}(?![\d/]|[.,]\d))/gu,
    ' of ',
  ],
  [
    /(?<![\p{L}\d.,])(?:(?<from>\d{3}) ?[–-] ?)?(?<until>\d{3})(?= (?:BCE?|CE|AD)(?!\p{L}))/gu,
    ({ from, until = '' }) => `${from === undefined ? '' : `${toLabel(from)} to `}${toLabel(until)}`,
  ],
  // `Boeing 747-400`
  [
    /(?<=(?<!\p{L})(?:Boeing|Airbus) A?)(?<model>\d{3})-(?<kind>\d{1,4})(?![\d-]|[.,]\d)/gu,
    ({ model = '', kind = '' }) => ` ${toLabel(model)} ${toLabel(kind)}`,
  ],
  [
    globally`(?<=(?<!\p{L})(?:${numbered})\.? (?:\p{Lu}{2} )?)(?<number>\d{1,4})(?<letter>\p{Lu})?(?![\p{L}\d]|[.,:–-]\d|%)`,
    ({ number = '', letter = '' }) => `${toLabel(number)} ${letter}`.trim(),
  ],
  [
    /(?<![\p{L}\d.,])(?<width>\d{3,4})(?:x| ?× ?)(?<height>\d{3,4})(?![\p{L}\d.,])/gu,
    ({ width = '', height = '' }) => `${toLabel(width)} by ${toLabel(height)}`,
  ],
  [/(?<![\p{L}\d.,])(?<lines>\d{3,4})[pi](?![\p{L}\d])/gu, ({ lines = '' }) => `${toLabel(lines)} P`],
  [
    /(?<=\p{Lu})-?(?<number>[1-9]\d{2,3})(?![\p{L}\d]|[.,:-]\d)/gu,
    ({ number = '' }) => ` ${toLabel(number)}`,
  ],
];

/** Reads the number of a house, a room or a flight: in pairs of digits, or digit by digit from five digits on. */
export function toLabel(number: string): string {
  if (number.length < 3) return toCardinal(number);
  if (number.startsWith('0') || number.length > 4) return toCode(number).replaceAll('zero', 'oh');
  if (number.length === 4) return toYear(number);
  const rest = number.slice(1);
  return `${toCardinal(number.charAt(0))} ${rest === '00' ? 'hundred' : toPair(rest)}`;
}

function toCode(code: string): string {
  return toDigits(code.replace('X', '')) + (code.endsWith('X') ? ' X' : '');
}
