import { assertCount, assertIterable, assertList } from '../assert-values.ts';
import { assertNumber } from './scratch.ts';
import {
  assertCandidates,
  keepFrom,
  maxLogit,
  positionOf,
  withinRange,
  type Candidates,
} from './candidates.ts';
import { applyChanges } from './changes.ts';
import type { SamplerStep } from './definition.ts';

/** Bounds of one entry of `logit_bias`, both inclusive. */
export const logitBiasBounds = { min: -100, max: 100 } as const;

/**
 * Adds a bias to the logits of some tokens.
 *
 * @param candidates mutated
 * @param logitBias token id → its bias; −∞ drops the token, tokens that are no candidates are skipped
 * @throws TypeError for a bias that is no number
 *
 * @example
 * ```ts
 * probabilities(applyLogitBias(candidatesFrom([0, 0]), new Map([[1, -Infinity]]))); // [1]
 * ```
 */
export function applyLogitBias(
  candidates: Candidates,
  logitBias: Iterable<readonly [number, number]>,
): Candidates {
  assertIterable('logitBias', logitBias);
  assertCandidates(candidates);
  let dropped = false;
  for (const [place, pair] of [...logitBias].entries()) {
    assertList(`logitBias[${place}]`, pair);
    const [token, bias] = pair;
    assertCount(`logitBias[${place}][0]`, token);
    assertNumber(`logitBias[${token}]`, bias);
    const position = positionOf(candidates, token);
    if (position < 0) continue;
    dropped ||= bias === -Infinity;
    candidates.logits[position] = bias === -Infinity ? bias : withBias(candidates.logits[position]!, bias);
  }
  return dropped ? keepFrom(candidates, -maxLogit) : candidates;
}

/** @param logitBias finite biases of distinct tokens, ascending */
export function createBiasStep(logitBias: readonly (readonly [token: number, bias: number])[]): SamplerStep {
  const changes = {
    tokens: Int32Array.from(logitBias, ([token]) => token),
    size: logitBias.length,
    changed: (place: number, logit: number) => withBias(logit, logitBias[place]![1]),
  };
  return { changes, apply: (candidates) => applyChanges(candidates, changes) };
}

function withBias(logit: number, bias: number): number {
  return withinRange(logit + bias);
}
