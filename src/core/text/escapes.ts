/** Single-letter escapes and their characters. */
export const letterEscapes: ReadonlyMap<string, string> = new Map([
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
]);

/** Number of hex digits after the letter of an escape. */
export const hexEscapeLengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
