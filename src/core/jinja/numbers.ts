import { trimEnd, trimStart } from './text.ts';

const prefixes: ReadonlyMap<number, string> = new Map([
  [2, '0b'],
  [8, '0o'],
  [16, '0x'],
]);

/** Python's `int(text, base)`; `undefined` for an invalid text. */
export function parseIntegerText(text: string, base: number): number | bigint | undefined {
  const [, sign = '', body = ''] = /^([-+]?)(.*)$/s.exec(trimStart(trimEnd(text)).toLowerCase()) ?? [];
  const own = /^0[box]/.exec(body)?.[0];
  const isPrefixed = own !== undefined && (base === 0 || prefixes.get(base) === own);
  const radix = base === 0 ? ([...prefixes].find(([, prefix]) => prefix === own)?.[0] ?? 10) : base;
  const digits = (isPrefixed ? body.slice(2).replace(/^_/, '') : body).replaceAll(/(?<=[^_])_(?=[^_])/g, '');
  if (!/^[\da-z]+$/.test(digits) || (base === 0 && !isPrefixed && /^0+[1-9]/.test(digits))) return undefined;
  let value = 0n;
  for (const digit of digits) {
    const figure = Number.parseInt(digit, 36);
    if (figure >= radix) return undefined;
    value = value * BigInt(radix) + BigInt(figure);
  }
  const signed = sign === '-' ? -value : value;
  return Number.isSafeInteger(Number(signed)) ? Number(signed) : signed;
}

/** Python's `float(text)`; `undefined` for an invalid text. */
export function parseFloatText(text: string): number | undefined {
  const trimmed = trimStart(trimEnd(text));
  const [, sign, word] = /^([-+]?)(inf|infinity|nan)$/i.exec(trimmed) ?? [];
  if (word !== undefined) return word.toLowerCase() === 'nan' ? NaN : sign === '-' ? -Infinity : Infinity;
  const pattern = /^[-+]?(\d+(_\d+)*\.?(\d+(_\d+)*)?|\.\d+(_\d+)*)(e[-+]?\d+(_\d+)*)?$/i;
  return pattern.test(trimmed) ? Number(trimmed.replaceAll('_', '')) : undefined;
}

/** Python's `round`: halves are rounded to even. */
export function roundToEven(number: number, digits: number): number {
  const scale = 10 ** digits;
  const scaled = number * scale;
  const isTie = Math.abs(scaled % 1) === 0.5 && Number.isInteger(number * 2 ** (digits + 1));
  if (isTie) return (2 * Math.round(scaled / 2)) / scale;
  return digits > 0 && digits <= 100 ? Number(number.toFixed(digits)) : Math.round(scaled) / scale;
}
