import type { Language, LanguageStore } from '../languages/language.ts';
import { quoted, schemaFault } from './keywords.ts';

const maxStep = 10_000_000;
const maxDecimals = 12;

/** The decimal numbers, without exponent, that are multiples of a step; whatever isn't written as a number isn't its concern. */
export function multiplesOf(step: unknown, path: string, store: LanguageStore): Language {
  return store.multiple({ ...decimalOf(step, path), fraction: -1, remainder: 0 });
}

/** Whether a number is a multiple of a step, as both are written. */
export function isDecimalMultiple(value: number, step: unknown, path: string): boolean {
  const { step: whole, decimals } = decimalOf(step, path);
  const digits = /^-?(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  if (!digits) return false;
  const [, integer = '', fraction = '', exponent = '0'] = digits;
  const shift = decimals + Number(exponent) - fraction.length;
  if (Math.abs(shift) > 400) return value === 0;
  const scaled = BigInt(integer + fraction);
  if (shift >= 0) return (scaled * 10n ** BigInt(shift)) % BigInt(whole) === 0n;
  return scaled % (BigInt(whole) * 10n ** BigInt(-shift)) === 0n;
}

/** A step as whole number / 10^decimals. */
function decimalOf(step: unknown, path: string): { readonly step: number; readonly decimals: number } {
  if (typeof step !== 'number' || !(step > 0)) throw schemaFault(path, 'expected a positive number');
  const [mantissa = '', exponent = '0'] = String(step).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const decimals = Math.max(0, fraction.length - Number(exponent));
  const scaled = Number(whole + fraction) * 10 ** Math.max(0, Number(exponent) - fraction.length);
  if (decimals > maxDecimals || scaled > maxStep) {
    throw schemaFault(
      path,
      `expected a step of at most ${maxStep} and ${maxDecimals} decimals, got ${quoted(step)}`,
    );
  }
  return { step: scaled, decimals };
}
