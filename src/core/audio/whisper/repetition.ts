/**
 * Leaves out what a decoder in a loop wrote: of segments in a row with the same text the first stays.
 *
 * @example
 * ```ts
 * cutRepetitions([{ text: ' Yes.' }, { text: ' Yes.' }, { text: ' No.' }]); // [{ text: ' Yes.' }, { text: ' No.' }]
 * ```
 */
export function cutRepetitions<S extends { readonly text: string }>(segments: readonly S[]): S[] {
  return segments.filter(
    ({ text }, index) => index === 0 || comparable(text) !== comparable(segments[index - 1]!.text),
  );
}

function comparable(text: string): string {
  return text.trim().toLowerCase();
}
