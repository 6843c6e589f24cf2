export interface PrefixOptions {
  /** `<|startofprev|>`; without it a model takes no previous text. */
  readonly startOfPrevious: number | undefined;
  /** `<|startoftranscript|>` and what is asked for: language and task. */
  readonly start: readonly number[];
  /** Tokens that the decoder has room for. */
  readonly contextLength: number;
}

/**
 * The tokens that a decoder is given before it writes: the end of the previous text, at most half of its context, and what is
 * asked for.
 *
 * @param previous tokens of the previous text
 *
 * @example
 * ```ts
 * toPrefix([1, 2, 3], { startOfPrevious: 90, start: [91, 92], contextLength: 6 }); // [90, 2, 3, 91, 92]
 * ```
 */
export function toPrefix(
  previous: readonly number[],
  { startOfPrevious, start, contextLength }: PrefixOptions,
): number[] {
  const room = Math.floor(contextLength / 2) - 1;
  if (startOfPrevious === undefined || previous.length === 0 || room < 1) return [...start];
  return [startOfPrevious, ...previous.slice(-room), ...start];
}
