type Kind = abstract new (...args: never[]) => unknown;

/** Calls a function. @returns another value where it throws, by default whatever it throws */
export function orElse<Value, Other>(work: () => Value, other: Other, kind?: Kind): Value | Other {
  try {
    return work();
  } catch (error) {
    if (kind && !(error instanceof kind)) throw error;
    return other;
  }
}
