interface PrefixOptions {
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

/** Fraction of shared words above which two texts count as the same. */
const alikeShare = 0.5;

/** Whether a text is little more than the words of a prompt, once or twice: models write that for silence. */
export function echoesPrompt(text: string, prompt: string): boolean {
  const { length } = wordsOf(text);
  return length > 0 && length <= 2 * wordsOf(prompt).length && isAlike(text, prompt);
}

/** Whether at least half of the words of `text` are in `other`. */
export function isAlike(text: string, other: string): boolean {
  const words = wordsOf(text);
  const known = new Set(wordsOf(other));
  return words.filter((word) => known.has(word)).length >= alikeShare * words.length;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/\p{Script=Han}|[\p{L}\p{N}]+/gu) ?? [];
}
