/** A number of tokens that a server reports; `undefined` for a value that is no count, so that nobody is charged for it. */
export function toCount(told: unknown): number | undefined {
  return Number.isSafeInteger(told) && (told as number) >= 0 ? (told as number) : undefined;
}
