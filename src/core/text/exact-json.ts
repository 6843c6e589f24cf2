const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]|[^\s[\]{}:,"]+/g;

/** Key orders of the objects whose keys JavaScript reorders. */
const orders = new WeakMap<object, readonly string[]>();

/** Creates values from the parts of a JSON text. */
interface JsonBuilder<Value> {
  number(text: string): Value;
  object(members: readonly (readonly [string, Value])[]): Value;
  list(items: Value[]): Value;
}

/**
 * Parses a JSON text with exact numbers and key order, without recursion.
 * @throws SyntaxError for invalid JSON
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

/** Like `JSON.parse`, but integers that a double can't hold become bigints, and `orderedKeys` returns the text's key order. */
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

/** The exact value of `text` if given, instead of `value`, in which JavaScript may have lost digits and key order. */
export function exactOr<Value>(value: Value, text: string | undefined): Value {
  return text === undefined ? value : (parseExact(text) as Value);
}

/** The keys of an object; for an object from `parseExact`, in the order of its text. */
export function orderedKeys(value: object): readonly string[] {
  return orders.get(value) ?? Object.keys(value);
}

/** `Object.entries` in the order of `orderedKeys`. */
export function exactEntries(value: object): [string, unknown][] {
  return orderedKeys(value).map((key) => [key, (value as Record<string, unknown>)[key]]);
}

/** `JSON.stringify` for values from `parseExact`. */
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
