import type { SamplingParameters } from '../parameters/sampling.ts';
import { assertNumber } from './assert.ts';
import { positionOf, withinRange, type Candidates } from './candidates.ts';
import { createTokenWindow, penaltyWindow, type TokenWindow } from './token-window.ts';

/** Options of the penalties on recent tokens. */
export type Penalties = Pick<SamplingParameters, 'repeatPenalty' | 'frequencyPenalty' | 'presencePenalty'>;

const window = createTokenWindow();

/**
 * Penalises the candidates among the last 64 tokens of a history. A positive logit is divided by `repeatPenalty`,
 * any other multiplied by it, once however often the token occurred; then `frequencyPenalty` times that count and
 * `presencePenalty` are subtracted. A `repeatPenalty` of 0 acts as the limit towards 0: positive logits become the
 * largest finite float32, others 0.
 *
 * Repeat penalty: Keskar et al., CTRL, arXiv:1909.05858 §4.1.
 *
 * @param candidates mutated
 * @param history token ids, oldest first
 * @param penalties what is left out penalises nothing
 * @throws TypeError for a penalty that is no number
 *
 * @example
 * ```ts
 * applyPenalties(candidatesFrom([2, 2]), [1], { repeatPenalty: 2 }).logits; // [2, 1]
 * ```
 */
export function applyPenalties(
  candidates: Candidates,
  history: ArrayLike<number>,
  { repeatPenalty = 1, frequencyPenalty = 0, presencePenalty = 0 }: Partial<Penalties>,
): Candidates {
  assertNumber('repeatPenalty', repeatPenalty);
  assertNumber('frequencyPenalty', frequencyPenalty);
  assertNumber('presencePenalty', presencePenalty);
  window.clear();
  for (let i = Math.max(0, history.length - penaltyWindow); i < history.length; i++) {
    // What is no token id can't be a candidate.
    if ((history[i]! | 0) === history[i]) window.accept(history[i]!);
  }
  const penalties = { repeatPenalty, frequencyPenalty, presencePenalty };
  return penalizeWindow(candidates, window, () => penalties);
}

/** `applyPenalties` with a window that is kept up to date elsewhere, penalties of each token, and perhaps spared ones. */
export function penalizeWindow(
  candidates: Candidates,
  recent: TokenWindow,
  penaltiesOf: (token: number) => Penalties,
  isPenalized?: (token: number) => boolean,
): Candidates {
  for (let i = 0; i < recent.size; i++) {
    const token = recent.tokens[i]!;
    const position = positionOf(candidates, token);
    if (position < 0 || isPenalized?.(token) === false) continue;
    const logit = candidates.logits[position]!;
    candidates.logits[position] = penalized(logit, recent.counts[i]!, penaltiesOf(token));
  }
  return candidates;
}

/** The logit of a token that occurred `count` times, at least once. */
export function penalized(logit: number, count: number, penalties: Penalties): number {
  const { repeatPenalty, frequencyPenalty, presencePenalty } = penalties;
  const repeated = withinRange(logit > 0 ? logit / repeatPenalty : logit * repeatPenalty);
  return withinRange(repeated - count * frequencyPenalty - presencePenalty);
}
