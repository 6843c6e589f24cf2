/** The characters that letters stand for behind a backslash. */
export const letterEscapes: ReadonlyMap<string, string> = new Map([
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
]);

/** How many hex digits follow these letters behind a backslash. */
export const hexEscapeLengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
