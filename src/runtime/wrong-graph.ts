import { fieldError, orThrow, type InferenceError } from '../errors.ts';

/** Makes the errors of a graph that is of another kind than the model needs. */
export function wrongGraph(expected: string): (reason: string) => InferenceError {
  return (reason) => fieldError('source', `the graph is not ${expected}: ${reason}`);
}

/** Reads a graph; what is out of range there makes it a wrong one. */
export function readGraph<T>(toError: ReturnType<typeof wrongGraph>, read: () => T): T {
  return orThrow(read, (error) => (error instanceof RangeError ? toError(error.message) : error));
}
