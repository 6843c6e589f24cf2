import { fieldError, orThrow, type InferenceError } from '../errors.ts';

/** Creates the errors of a graph of the wrong kind. */
export function wrongGraph(expected: string): (reason: string) => InferenceError {
  return (reason) => fieldError('source', `the graph is not ${expected}: ${reason}`);
}

/** Reads a graph; values out of range make it a wrong one. */
export function readGraph<T>(toError: ReturnType<typeof wrongGraph>, read: () => T): T {
  return orThrow(read, (error) => (error instanceof RangeError ? toError(error.message) : error));
}
