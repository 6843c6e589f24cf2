/**
 * Whether JSON text nests its arrays and objects deeper than that, without parsing it: a parser takes seconds for
 * megabytes of brackets.
 *
 * @param most levels; 1 is an array or object without another one in it
 *
 * @example
 * ```ts
 * isDeepJson('[["[[["]]', 2); // false
 * isDeepJson('{"a": [[]]}', 2); // true
 * ```
 */
export function isDeepJson(text: string, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > most) return true;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
      case 0x22: // "
        at = endOfString(text, at + 1);
    }
  }
  return false;
}

/** Where the quote is that ends a string; the end of the text where there is none. */
function endOfString(text: string, start: number): number {
  for (let at = start; ; at++) {
    at = text.indexOf('"', at);
    if (at < 0) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
}
