import { describe, expect, test } from 'vitest';
import { candidatesFrom, type Candidates } from '../../../src/core/sampling/candidates.ts';
import { applyMinP } from '../../../src/core/sampling/min-p.ts';
import { applyTopK } from '../../../src/core/sampling/top-k.ts';
import { applyTopP } from '../../../src/core/sampling/top-p.ts';

/*
 * Samplers one after the other on 10,000 tokens whose probabilities rise linearly: token i has weight i + 1. What stays
 * is always i from some first to the last, so its size can be counted in whole numbers.
 */
const size = 10_000;
const last = size - 1;

const stages = {
  k: {
    apply: (candidates: Candidates, value: number) => applyTopK(candidates, value),
    remaining: (before: number, k: number) => Math.min(before, k),
  },
  p: {
    apply: (candidates: Candidates, value: number) => applyTopP(candidates, value),
    remaining(before: number, p: number) {
      if (p >= 1) return before;
      const total = (before * (2 * size - before + 1)) / 2;
      let sum = 0;
      let kept = 0;
      while (sum < p * total * (1 - 1e-6) || kept === 0) sum += size - kept++;
      return kept;
    },
  },
  m: {
    apply: (candidates: Candidates, value: number) => applyMinP(candidates, value),
    remaining: (before: number, p: number) => Math.min(before, size - Math.ceil(p * size) + 1),
  },
};

type Stage = keyof typeof stages;

function expectQueue(order: string, values: Record<Stage, number>): void {
  const candidates = candidatesFrom(Array.from({ length: size }, (_, token) => Math.log(token + 1)));
  let expected = size;
  for (const stage of order as Iterable<Stage>) {
    stages[stage].apply(candidates, values[stage]);
    expected = stages[stage].remaining(expected, values[stage]);
    expect([stage, candidates.size, candidates.tokens[0], candidates.tokens[candidates.size - 1]]).toEqual([
      stage,
      expected,
      last - expected + 1,
      last,
    ]);
  }
}

describe('one sampler', () => {
  test.each([10_000, 100, 1])('top k %d', (k) => expectQueue('k', { k, p: 1, m: 0 }));
  test.each([1, 0.8, 0.5, 0.0003])('top p %d', (p) => expectQueue('p', { k: 0, p, m: 0 }));
  test.each([0.00005, 0.10005, 0.50005, 0.9999])('min p %d', (m) => expectQueue('m', { k: 0, p: 1, m }));
});

describe.each(['k', 'p', 'm', 'kp', 'km', 'pk', 'pm', 'mk', 'mp', 'kpm', 'kmp', 'pkm', 'pmk', 'mkp', 'mpk'])(
  '%s',
  (order) => {
    test.each([
      { k: 100, p: 0.8, m: 0.10005 },
      { k: 9000, p: 0.95, m: 0.70005 },
      { k: 5000, p: 0.3, m: 0.20005 },
      { k: 1, p: 0.0003, m: 0.99995 },
    ])('%j', (values) => expectQueue(order, values));
  },
);
