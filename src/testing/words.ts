/** `'a red circle'` → `['a', ' red', ' circle']` */
export function wordsOf(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}
