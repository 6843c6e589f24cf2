/** Share of words from which on one text is taken for another. */
const alikeShare = 0.5;

/** Whether a text is hardly more than words of a prompt, once or twice: what a model writes that hears nothing. */
export function echoesPrompt(text: string, prompt: string): boolean {
  const { length } = wordsOf(text);
  return length > 0 && length <= 2 * wordsOf(prompt).length && isAlike(text, prompt);
}

/** Whether at least half of the words of a text are words of another one. */
export function isAlike(text: string, other: string): boolean {
  const words = wordsOf(text);
  const known = new Set(wordsOf(other));
  return words.filter((word) => known.has(word)).length >= alikeShare * words.length;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/\p{Script=Han}|[\p{L}\p{N}]+/gu) ?? [];
}
