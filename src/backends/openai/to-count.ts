/** A number of tokens as a server tells it; `undefined` for what can be none, which nobody is to be charged for. */
export function toCount(told: unknown): number | undefined {
  return Number.isSafeInteger(told) && (told as number) >= 0 ? (told as number) : undefined;
}
