/** Maximum characters of a caller's text in a message. */
const maxEchoLength = 60;

/** Truncates a caller's text for a message. */
export function abbreviate(text: string, maxCharacters: number = maxEchoLength): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
}

/** A text for a message: truncated, in quotes, with control characters escaped. */
export function quote(text: string): string {
  return JSON.stringify(abbreviate(text));
}

/** A value for a message: short, without content that could be large. */
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
