const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]|[^\s[\]{}:,"]+/g;

/** The order of keys of objects that JavaScript keeps in another one. */
const orders = new WeakMap<object, readonly string[]>();

/** The makers of values out of the parts of a JSON text. */
interface JsonBuilder<Value> {
  number(text: string): Value;
  object(members: readonly (readonly [string, Value])[]): Value;
  list(items: Value[]): Value;
}

/**
 * Reads a JSON text whose numbers and order of keys count, without recursion.
 *
 * @throws SyntaxError for a text that is no JSON
 */
export function readJson<Value>(text: string, { number, object, list }: JsonBuilder<Value>): Value {
  JSON.parse(text);
  type Container = { readonly isObject: boolean; readonly keys: string[]; readonly values: Value[] };
  const root: Container = { isObject: false, keys: [], values: [] };
  const open: Container[] = [root];
  for (const [token] of text.matchAll(tokens)) {
    const container = open.at(-1)!;
    if (token === '{' || token === '[') open.push({ isObject: token === '{', keys: [], values: [] });
    else if (token === '}' || token === ']') {
      const { isObject, keys, values } = open.pop()!;
      const value = isObject ? object(keys.map((key, index) => [key, values[index]!])) : list(values);
      open.at(-1)!.values.push(value);
    } else if (container.isObject && container.keys.length === container.values.length) {
      container.keys.push(JSON.parse(token) as string);
    } else container.values.push(/^[-\d]/.test(token) ? number(token) : (JSON.parse(token) as Value));
  }
  return root.values[0]!;
}

/** `JSON.parse`, but whole numbers that a double can't hold become bigints, and `orderedKeys` tells the order of keys in the text. */
export function parseExact(text: string): unknown {
  return readJson<unknown>(text, {
    number(digits) {
      const value = Number(digits);
      return Number.isSafeInteger(value) || /[.eE]/.test(digits) ? value : BigInt(digits);
    },
    list: (items) => items,
    object(members) {
      const value = Object.fromEntries(members);
      const order = [...new Set(members.map(([key]) => key))];
      if (Object.keys(value).some((key, index) => key !== order[index])) orders.set(value, order);
      return value;
    },
  });
}

/** The value that a text stands for, where there is one, in place of what an object of JavaScript has kept of it. */
export function exactOr<Value>(value: Value, text: string | undefined): Value {
  return text === undefined ? value : (parseExact(text) as Value);
}

/** The keys of an object; of one that `parseExact` has made in the order of its text. */
export function orderedKeys(value: object): readonly string[] {
  return orders.get(value) ?? Object.keys(value);
}

/** `Object.entries` in the order of `orderedKeys`. */
export function exactEntries(value: object): [string, unknown][] {
  return orderedKeys(value).map((key) => [key, (value as Record<string, unknown>)[key]]);
}

/** `JSON.stringify` for what `parseExact` makes. */
export function writeExact(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(writeExact).join(',')}]`;
  let members = '';
  for (const key of orderedKeys(value)) {
    const member = (value as Record<string, unknown>)[key];
    if (member !== undefined) members += `${members && ','}${JSON.stringify(key)}:${writeExact(member)}`;
  }
  return `{${members}}`;
}
