import { assertCount, assertNumbers, assertObject, assertWithin } from '../assert-values.ts';
/** Cost and limits of a batch. */
export interface BatchLimits {
  /** Maximum tokens per batch, padding included. A longer text is a batch on its own. */
  readonly maxTokens: number;
  /** Maximum texts per batch. */
  readonly maxRows: number;
  /** Cost of an additional batch, in tokens of padding. */
  readonly batchCost: number;
}

/**
 * Partitions texts into batches with the minimum total cost of padding and batches. Every text of a batch is padded to
 * the longest, so texts of similar length belong together.
 *
 * @param lengths tokens of each text, at least 1
 * @returns batches of indices into `lengths`, each index once
 *
 * @example
 * ```ts
 * partitionByLength([5, 100, 6], { maxTokens: 512, maxRows: 32, batchCost: 32 }); // [[1], [2, 0]]
 * ```
 */
export function partitionByLength(lengths: ArrayLike<number>, limits: BatchLimits): number[][] {
  assertNumbers('lengths', lengths);
  assertObject('limits', limits);
  const { maxTokens, maxRows, batchCost } = limits;
  assertCount('maxTokens', maxTokens, { min: 1 });
  assertCount('maxRows', maxRows, { min: 1 });
  assertWithin('batchCost', batchCost, { min: 0 });
  const order = Array.from(lengths, (_, index) => index).sort((a, b) => lengths[b]! - lengths[a]!);
  const count = order.length;
  // best[n]: minimum cost of the n longest texts; a batch is always a run of the sorted order.
  const best = new Float64Array(count + 1);
  const startOfLast = new Int32Array(count + 1);
  for (let end = 1; end <= count; end++) {
    best[end] = Infinity;
    for (let start = end - 1; start >= 0; start--) {
      const rows = end - start;
      const tokens = rows * lengths[order[start]!]!;
      if (rows > 1 && (rows > limits.maxRows || tokens > limits.maxTokens)) break;
      const cost = best[start]! + tokens + limits.batchCost;
      if (cost < best[end]!) {
        best[end] = cost;
        startOfLast[end] = start;
      }
    }
  }
  const batches: number[][] = [];
  for (let end = count; end > 0; end = startOfLast[end]!) batches.unshift(order.slice(startOfLast[end], end));
  return batches;
}
