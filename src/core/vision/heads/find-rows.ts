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

/** Index, from `start`, of the greatest of `count` values; the first of equal ones. */
export function bestClassOfRow(values: Float32Array, start: number, count: number): number {
  let best = 0;
  let bestValue = values[start]!;
  for (let index = 1; index < count; index++) {
    const value = values[start + index]!;
    if (value > bestValue) {
      bestValue = value;
      best = index;
    }
  }
  return best;
}
