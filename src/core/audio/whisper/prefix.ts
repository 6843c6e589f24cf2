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
 */
export function toPrefix(
  previous: readonly number[],
  { startOfPrevious, start, contextLength }: PrefixOptions,
): number[] {
  const room = Math.floor(contextLength / 2) - 1;
  if (startOfPrevious === undefined || previous.length === 0 || room < 1) return [...start];
  return [startOfPrevious, ...previous.slice(-room), ...start];
}
