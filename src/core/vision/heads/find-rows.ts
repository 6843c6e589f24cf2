import type { FoundOutputs, OutputQuery } from './head.ts';

/** Finds the one output of a head by its shape of three axes. */
export function findRows(
  { outputs, classCount }: OutputQuery,
  classesOf: (dims: readonly number[]) => number,
): FoundOutputs | undefined {
  for (const { name, dims } of outputs) {
    const inShape = dims.length === 3 ? classesOf(dims) : 0;
    if (inShape >= Math.max(1, classCount ?? 1))
      return { outputs: [name], classCount: classCount ?? inShape };
  }
  return undefined;
}
