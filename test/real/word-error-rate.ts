/**
 * Counts the fewest words to replace, leave out and insert, over the words that were said.
 *
 * @param said words in small letters, with spaces between them; at least one
 *
 * @example
 * ```ts
 * wordErrorRate('a red circle', 'a bed circle'); // 0.3333333333333333
 * ```
 */
export function wordErrorRate(said: string, heard: string): number {
  const expected = said.split(' ');
  let row = Array.from({ length: expected.length + 1 }, (_, at) => at);
  for (const [index, word] of heard.split(' ').entries()) {
    const next = [index + 1];
    for (const [at, other] of expected.entries()) {
      next.push(Math.min(row[at]! + Number(word !== other), row[at + 1]! + 1, next[at]! + 1));
    }
    row = next;
  }
  return row.at(-1)! / expected.length;
}
