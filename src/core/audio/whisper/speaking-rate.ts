/** In less time nobody says more than a syllable. */
const syllableSeconds = 0.2;

/** The fastest speakers reach 30. */
const mostCharactersPerSecond = 50;

/**
 * Whether nobody could say a text in its time, as when a decoder completes a word whose last sound alone is in its window.
 *
 * @example
 * ```ts
 * isUnsayable(' diamond.', 0.08); // true
 * ```
 */
export function isUnsayable(text: string, seconds: number): boolean {
  return seconds < syllableSeconds && text.trim().length > mostCharactersPerSecond * seconds;
}
