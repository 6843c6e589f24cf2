type Kind = abstract new (...args: never[]) => unknown;

/** Calls a function. @returns `other` if it throws an error of `kind` (default: any) */
export function orElse<Value, Other>(work: () => Value, other: Other, kind?: Kind): Value | Other {
  try {
    return work();
  } catch (error) {
    if (kind && !(error instanceof kind)) throw error;
    return other;
  }
}
