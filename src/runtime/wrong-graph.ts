import { fieldError, type InferenceError } from '../errors.ts';

/** Makes the errors of a graph that is of another kind than the model needs. */
export function wrongGraph(expected: string): (reason: string) => InferenceError {
  return (reason) => fieldError('source', `the graph is not ${expected}: ${reason}`);
}
