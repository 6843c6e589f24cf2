/** Characters of a caller's own text that one message repeats. */
const longestEcho = 60;

/** Cuts a text that somebody else wrote to what a message may repeat of it. */
export function abbreviate(text: string, mostCharacters: number = longestEcho): string {
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
}

/** A text for a message: cut, in quotes, with control characters escaped. */
export function quote(text: string): string {
  return JSON.stringify(abbreviate(text));
}

/** A value for a message: short, and without its content where that could be large. */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'nothing';
    case 'string':
      return quote(value);
    case 'function':
      return 'a function';
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? 'an array' : 'an object';
    default:
      return abbreviate(String(value));
  }
}
