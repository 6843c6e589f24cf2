import type { Language, LanguageStore } from '../languages/language.ts';
import { digitsOf } from './decimal-range.ts';
import { isNumeric, type Numeric } from './json-types.ts';
import { quoted, schemaFault } from './keywords.ts';

const stepOnLargest = 10_000_000;
const maxDecimals = 12;

/** The decimal numbers, without exponent, that are multiples of a step; texts that aren't numbers don't matter. */
export function multiplesOf(step: unknown, path: string, store: LanguageStore): Language {
  return store.multiple({ ...decimalOf(step, path), fraction: -1, remainder: 0 });
}

/** Whether a number is a multiple of a step, by their decimal notations. */
export function isDecimalMultiple(value: Numeric, step: unknown, path: string): boolean {
  const { step: whole, decimals } = decimalOf(step, path);
  if (Math.abs(Number(value)) === Infinity) return false;
  const { whole: integer, fraction } = digitsOf(value < 0 ? -value : value);
  const scaled = BigInt(integer + fraction) * 10n ** BigInt(decimals);
  return scaled % (BigInt(whole) * 10n ** BigInt(fraction.length)) === 0n;
}

/** A step as integer / 10^decimals. */
function decimalOf(step: unknown, path: string): { readonly step: number; readonly decimals: number } {
  if (!isNumeric(step) || !(step > 0)) throw schemaFault(path, 'expected a positive number');
  const { whole, fraction } = digitsOf(step);
  const [scaled, decimals] = [Number(whole + fraction), fraction.length];
  if (decimals > maxDecimals || scaled > stepOnLargest) {
    throw schemaFault(
      path,
      `expected a step of at most ${stepOnLargest} and ${maxDecimals} decimals, got ${quoted(step)}`,
    );
  }
  return { step: scaled, decimals };
}
