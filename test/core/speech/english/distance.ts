/** Least number of sounds to change, leave out or put in. */
export function distance(one: readonly string[], other: readonly string[]): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [index, sound] of one.entries()) {
    const next = [index + 1];
    for (const [at, against] of other.entries()) {
      next.push(Math.min(row[at]! + (sound === against ? 0 : 1), row[at + 1]! + 1, next[at]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}
