import { Float, type Value } from './values.ts';

/**
 * Reads JSON as Python does: `1.0` stays a float, a long integer keeps all its digits and an object its order of keys, so that
 * a value comes out of a template as it went in.
 */
export function parseJson(text: string): Value {
  JSON.parse(text);
  // A sign in front of every string, keys among them, tells numbers from texts and keeps keys like `1` in their place.
  const marked = text.replace(/"((?:[^"\\]|\\.)*")|-?\d[^\s,\]}]*/g, (number, string?: string) =>
    string === undefined ? `"#${number}"` : `"$${string}`,
  );
  return JSON.parse(marked, (_key, value: unknown) => {
    if (typeof value === 'string') return value.startsWith('#') ? toNumber(value.slice(1)) : value.slice(1);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return new Map(Object.entries(value).map(([key, member]) => [key.slice(1), member as Value]));
  }) as Value;
}

function toNumber(text: string): Value {
  if (/[.eE]/.test(text)) return new Float(Number(text));
  const integer = Number(text);
  return Number.isSafeInteger(integer) ? integer + 0 : BigInt(text);
}
