import {
  contextOf,
  costBits,
  freeBackoff,
  magnitude,
  maxRun,
} from '../../../../../src/core/speech/english/run-tree.ts';
import { BitEncoder } from './bit-encoder.ts';
import type { Runs } from './count-runs.ts';
import type { PrunedRuns } from './prune-runs.ts';

/** Nats. */
const step = 0.7;
const maxCost = (1 << costBits) - 1;
const toCost = (probability: number): number => clamp(Math.round(-Math.log(probability) / step));
const clamp = (cost: number): number => Math.max(0, Math.min(maxCost, cost));

/** Writes runs as `RunTree` reads them: by length, in the order of their symbols. */
export function packRuns(runs: Runs, { isKept, backoffs }: PrunedRuns): string {
  const { symbols, shorter, probabilities } = runs;
  const bits = new BitEncoder();
  const children = runs.children.map((all) =>
    all.filter((child) => isKept[child] === 1).toSorted((one, other) => symbols[one]! - symbols[other]!),
  );
  const costs = Uint8Array.from(probabilities, toCost);
  const goesOn = (run: number): 0 | 1 => (children[run]!.length > 0 ? 1 : 0);
  const written: number[] = [];
  const add = (run: number, depth: number): void => {
    written.push(run);
    bits.number(contextOf.cost(depth, depth === 1 ? 0 : costs[shorter[run]!]!), costBits, costs[run]!);
    if (depth < maxRun && (depth === 1 || goesOn(shorter[run]!) === 1))
      bits.bit(contextOf.goesOn(depth, costs[run]!), goesOn(run));
  };
  for (const run of children[0]!) add(run, 1);
  for (let depth = 1, from = 0; from < written.length; depth++) {
    const level = written.slice(from);
    from = written.length;
    for (const run of level) {
      if (goesOn(run) === 0) continue;
      const backoff = freeBackoff - Math.round(Math.log(backoffs[run]!) / step);
      bits.number(contextOf.backoff(depth), costBits, clamp(Number.isFinite(backoff) ? backoff : maxCost));
      const likely = children[shorter[run]!]!;
      let seen = 0;
      for (const [at, candidate] of likely.entries()) {
        const left = magnitude(likely.length - at);
        const child = runs.find(run, symbols[candidate]!);
        const has = child !== undefined && isKept[child] === 1;
        const context = contextOf.has(depth, costs[candidate]!, seen, left, goesOn(candidate));
        bits.bit(context, has ? 1 : 0);
        if (!has) continue;
        seen++;
        add(child, depth + 1);
      }
    }
  }
  const count = Buffer.alloc(4);
  count.writeUInt32BE(written.length);
  return Buffer.concat([count, bits.finish()]).toString('base64');
}
