/** What a function returns, or another value where it throws. */
export function orElse<Value, Other>(work: () => Value, other: Other): Value | Other {
  try {
    return work();
  } catch {
    return other;
  }
}

/** What a function returns; where it throws, its error becomes another one. */
export function orThrow<Value>(work: () => Value, toError: (error: Error) => unknown): Value {
  try {
    return work();
  } catch (error) {
    throw toError(error as Error);
  }
}
