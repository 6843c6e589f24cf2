/** Runs work that is cut into slices to its end, all slices at once. */
export function runSteps<T>(steps: Iterator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
