/** Python's white space, which differs slightly from JavaScript's. */
export const whiteSpace =
  '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const leadingSpace = new RegExp(`^[${whiteSpace}]+`);
const word = new RegExp(`[^${whiteSpace}]+`, 'g');
const lineEnds = '\\n-\\r\\x1c-\\x1e\\x85\\u2028\\u2029';
const lineBreak = new RegExp(`\\r\\n|[${lineEnds}]`);

/** Python's `str.lstrip`: removes white space, or any of `characters`. */
export function trimStart(text: string, characters?: string): string {
  if (characters === undefined) return text.replace(leadingSpace, '');
  const unwanted = new Set(characters);
  let start = 0;
  for (const character of text) {
    if (!unwanted.has(character)) break;
    start += character.length;
  }
  return text.slice(start);
}

/** Python's `str.rstrip`. */
export function trimEnd(text: string, characters?: string): string {
  const unwanted = characters === undefined ? undefined : new Set(characters);
  let end = text.length;
  while (end > 0) {
    const isPair = end > 1 && (text.codePointAt(end - 2) ?? 0) > 0xffff;
    const last = text.slice(end - (isPair ? 2 : 1), end);
    if (!(unwanted ? unwanted.has(last) : leadingSpace.test(last))) break;
    end -= last.length;
  }
  return text.slice(0, end);
}

/** Python's `str.split` at white space. */
export function splitWords(text: string, limit = Infinity): string[] {
  const parts: string[] = [];
  for (const { 0: match, index } of text.matchAll(word)) {
    if (parts.length >= limit) return [...parts, text.slice(index)];
    parts.push(match);
  }
  return parts;
}

/** Python's `str.split` at a separator. */
export function split(text: string, separator: string, limit = Infinity): string[] {
  if (separator === '') throw new RangeError('empty separator');
  const parts = text.split(separator);
  return parts.length <= limit + 1 ? parts : [...parts.slice(0, limit), parts.slice(limit).join(separator)];
}

/** Python's `str.rsplit` at a separator. */
export function splitFromEnd(text: string, separator: string, limit = Infinity): string[] {
  const parts = split(text, separator);
  const whole = parts.length - limit;
  return whole <= 1 ? parts : [parts.slice(0, whole).join(separator), ...parts.slice(whole)];
}

/** Python's `str.splitlines`. */
export function splitLines(text: string): string[] {
  const lines = text.split(lineBreak);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Python's `str.replace`. */
export function replace(text: string, old: string, replacement: string, limit = Infinity): string {
  const parts = old === '' ? ['', ...Array.from(text), ''] : text.split(old);
  const replaced = Math.min(limit, parts.length - 1);
  return parts.slice(0, replaced + 1).join(replacement) + ['', ...parts.slice(replaced + 1)].join(old);
}

/** Python's `str.capitalize`. */
export function capitalize(text: string): string {
  const [first = '', ...rest] = Array.from(text);
  return first.toUpperCase() + rest.join('').toLowerCase();
}

/** Python's `str.title`. */
export function toTitle(text: string): string {
  return text.replace(/\p{L}+/gu, capitalize);
}
