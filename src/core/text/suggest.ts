/** Finds the known word that was probably meant. */
export function suggest(
  given: string,
  known: readonly string[],
  maxEdits = Math.max(1, Math.floor(given.length / 3)),
): string | undefined {
  let best: { readonly word: string; readonly edits: number } | undefined;
  for (const word of known) {
    const edits = editDistance(given.toLowerCase(), word.toLowerCase());
    if (edits <= maxEdits && edits < (best?.edits ?? Infinity)) best = { word, edits };
  }
  return best?.word;
}

/** Returns ` Did you mean …?` or an empty text. */
export function didYouMean(given: string, known: readonly string[]): string {
  const meant = suggest(given, known);
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
}

/** Minimum number of insertions, deletions, replacements and swaps of neighbours between two words. */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        previous[column]! + 1,
        current[column - 1]! + 1,
        previous[column - 1]! + (isSame ? 0 : 1),
        isSwap ? beforePrevious[column - 2]! + 1 : Infinity,
      );
    }
    [beforePrevious, previous] = [previous, current];
  }
  return previous[to.length]!;
}
