import { readJson } from '../text/exact-json.ts';
import { Float, type Value } from './values.ts';

/**
 * Reads JSON as Python does: `1.0` stays a float, a long integer keeps all its digits and an object its order of keys, so that
 * a value comes out of a template as it went in.
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
