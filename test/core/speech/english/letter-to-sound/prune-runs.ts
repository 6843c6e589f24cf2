import type { Runs } from './count-runs.ts';

/** The runs that are kept, and backoffs without the others. */
export interface PrunedRuns {
  readonly isKept: Uint8Array<ArrayBuffer>;
  readonly backoffs: Float64Array<ArrayBuffer>;
}

/**
 * Leaves out runs that change the probabilities least: the loss is the relative entropy of the model without the run. A run is
 * kept with the runs that it begins with, and without its first symbol. Source: A. Stolcke: Entropy-based pruning of backoff
 * language models (1998)
 */
export function pruneRuns(runs: Runs, leastLoss: number): PrunedRuns {
  const { symbols, depths, shorter, children, uses, probabilities } = runs;
  const isKept = new Uint8Array(symbols.length).fill(1);
  const isNeeded = new Uint8Array(symbols.length);
  const backoffs = runs.backoffs.slice();
  const total = children[0]!.reduce((sum, child) => sum + uses[child]!, 0);
  const masses = (all: readonly number[]): [left: number, leftShorter: number] => [
    1 - all.reduce((sum, child) => sum + probabilities[child]!, 0),
    1 - all.reduce((sum, child) => sum + probabilities[shorter[child]!]!, 0),
  ];
  const order = [...symbols.keys()].sort((one, other) => depths[other]! - depths[one]!);
  for (const run of order) {
    const all = children[run]!;
    if (run === 0 || all.length === 0) continue;
    const [left, leftShorter] = masses(all);
    for (const child of all) {
      const probability = probabilities[child]!;
      const less = probabilities[shorter[child]!]!;
      const backoff = (left + probability) / (leftShorter + less);
      const change = probability * Math.log((less * backoff) / probability);
      const rest = left > 0 ? left * Math.log(backoff / backoffs[run]!) : 0;
      if (isNeeded[child] === 0 && -(uses[run]! / total) * (change + rest) < leastLoss) isKept[child] = 0;
      else isNeeded[run] = isNeeded[shorter[child]!] = 1;
    }
    const [leftNow, shorterNow] = masses(all.filter((child) => isKept[child] === 1));
    if (shorterNow > 0) backoffs[run] = leftNow / shorterNow;
  }
  return { isKept, backoffs };
}
