import { readJson } from '../text/exact-json.ts';
import { Float, type Value } from './values.ts';

/**
 * Parses JSON like Python: `1.0` stays a float, a long integer keeps all its digits and an object its key order, so
 * that values survive a template unchanged.
 */
export function parseJson(text: string): Value {
  return readJson<Value>(text, {
    number(digits) {
      if (/[.eE]/.test(digits)) return new Float(Number(digits));
      const integer = Number(digits);
      return Number.isSafeInteger(integer) ? integer + 0 : BigInt(digits);
    },
    list: (items) => items,
    object: (members) => new Map<Value, Value>(members),
  });
}
