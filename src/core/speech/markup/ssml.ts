import { tableOf } from '../table-of.ts';

const strengths = tableOf('none:0, x-weak:0.15, weak:0.3, medium:0.5, strong:0.75, x-strong:1.2');
const maxSeconds = 10;

/**
 * Seconds of a `break`, at most 10.
 * @see https://www.w3.org/TR/speech-synthesis11/#S3.2.3
 */
export function pauseOf(attributes: string): number {
  const [, time, unit] = /\stime\s*=\s*["']\+?(\d{0,6}(?:\.\d{1,6})?)\s*(ms|s)["']/i.exec(attributes) ?? [];
  if (time !== undefined && time !== '')
    return Math.min(maxSeconds, Number(time) / (unit!.toLowerCase() === 'ms' ? 1000 : 1));
  const [, strength = 'medium'] = /\sstrength\s*=\s*["']([a-z-]{1,20})["']/i.exec(attributes) ?? [];
  return Number(strengths[strength] ?? strengths['medium']);
}

/** Rewrites a text as `say-as` requires; unknown kinds leave it unchanged. */
export function sayAs(text: string, kind: string): string {
  switch (kind) {
    case 'characters':
    case 'spell-out':
    case 'verbatim':
      return Array.from(text.trim()).join(', ');
    case 'digits':
    case 'telephone':
      return text.replace(/\d/g, ' $& ').replace(/ {2,}/g, ' ').trim();
    case 'ordinal':
      return text.replace(/\d+/g, (digits) => digits + ordinalEnding(digits));
    case 'cardinal':
    case 'number':
      // With a thousands separator it isn't read as a year.
      return text.replace(/(?<![\d.,])\d{4}(?![\d.,])/g, (digits) => `${digits[0]},${digits.slice(1)}`);
    case 'expletive':
    case 'bleep':
      return ' ';
    default:
      return text;
  }
}

function ordinalEnding(digits: string): string {
  const isTeen = digits.at(-2) === '1';
  return (isTeen ? undefined : { 1: 'st', 2: 'nd', 3: 'rd' }[Number(digits.at(-1))]) ?? 'th';
}

const named: Readonly<Record<string, string>> = {
  ...tableOf(
    'amp:&, lt:<, gt:>, quot:", ndash:–, mdash:—, hellip:…, lsquo:‘, rsquo:’, ldquo:“, rdquo:”, laquo:«, raquo:», bull:•, ' +
      'deg:°, times:×, divide:÷, plusmn:±, frac12:½, euro:€, pound:£, yen:¥, cent:¢, copy:©, reg:®, trade:™, sect:§, ' +
      'minus:−, le:≤, ge:≥, ne:≠, larr:←, rarr:→',
  ),
  apos: "'",
  nbsp: '\u00a0',
  shy: '',
};

/** The source of a regular expression for an entity. */
export const entity = String.raw`&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-z]{2,8}\d{0,2});`;

/** The characters of an entity such as `&amp;` or `&#8217;`; `undefined` for an unknown name. */
export function decodeEntity(text: string): string | undefined {
  const name = text.slice(1, -1);
  if (!name.startsWith('#')) return Object.hasOwn(named, name) ? named[name] : undefined;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  const isCharacter = code > 0 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff);
  return isCharacter ? String.fromCodePoint(code) : undefined;
}
