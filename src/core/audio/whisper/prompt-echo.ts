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
