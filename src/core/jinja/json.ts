import { Float, type Value } from './values.ts';

/**
 * Reads JSON as Python does: `1.0` stays a float, a long integer keeps all its digits and an object its order of keys, so that
 * a value comes out of a template as it went in.
 */
export function parseJson(text: string): Value {
  JSON.parse(text);
  const root: Value[] = [];
  const open: (Value[] | Map<Value, Value>)[] = [];
  let container: Value[] | Map<Value, Value> = root;
  let key: string | undefined;

  function add(value: Value): void {
    if (container instanceof Map) {
      container.set(key, value);
      key = undefined;
    } else {
      container.push(value);
    }
  }

  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]|[^\s[\]{}:,"]+/g)) {
    if (token === '{' || token === '[') {
      const inner = token === '{' ? new Map<Value, Value>() : [];
      add(inner);
      open.push(container);
      container = inner;
    } else if (token === '}' || token === ']') {
      container = open.pop() ?? root;
    } else if (container instanceof Map && key === undefined) {
      key = JSON.parse(token) as string;
    } else {
      add(parseScalar(token));
    }
  }
  return root[0];
}

function parseScalar(token: string): Value {
  if (!/^[-\d]/.test(token)) return JSON.parse(token) as string | boolean | null;
  if (/[.eE]/.test(token)) return new Float(Number(token));
  const integer = Number(token);
  return Number.isSafeInteger(integer) ? integer + 0 : BigInt(token);
}
