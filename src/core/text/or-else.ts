/** Calls a function. @returns another value where it throws */
export function orElse<Value, Other>(work: () => Value, other: Other): Value | Other {
  try {
    return work();
  } catch {
    return other;
  }
}
