export interface PrefixOptions {
  /** `<|startofprev|>`; without it a model accepts no previous text. */
  readonly startOfPrevious: number | undefined;
  /** `<|startoftranscript|>`, language and task. */
  readonly start: readonly number[];
  /** Maximum tokens of the decoder. */
  readonly contextLength: number;
}

/** The decoder's prompt: the end of the previous text, at most half of the context, then language and task. */
export function toPrefix(
  previous: readonly number[],
  { startOfPrevious, start, contextLength }: PrefixOptions,
): number[] {
  const room = Math.floor(contextLength / 2) - 1;
  if (startOfPrevious === undefined || previous.length === 0 || room < 1) return [...start];
  return [startOfPrevious, ...previous.slice(-room), ...start];
}
