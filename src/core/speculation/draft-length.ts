/** Weight of the latest guess in the acceptance rate. */
const weight = 0.15;
/** Initial rate: slightly too low for drafting. */
const firstShare = 0.4;

// Source: https://arxiv.org/abs/2211.17192 section 3
/**
 * Chooses the length of drafts. A step of `1 + k` tokens takes `1 + cost · k` times as long as one token and, with an
 * acceptance rate `p`, yields `1 + p + … + pᵏ` tokens; the `k` with the most tokens per time wins. It depends only on
 * the guesses, not on the clock, so that a sequence is always computed in the same steps.
 */
export function createDraftLength({ max, cost }: { max: number; cost: number }) {
  let share = firstShare;
  let count = 0;
  return {
    /** Tokens to draft now; 0 if drafting costs more than it saves. */
    get count() {
      return count;
    },
    /** Reports the outcome of a guess, whether or not it was evaluated. */
    update(isRight: boolean): void {
      share += weight * ((isRight ? 1 : 0) - share);
      count = 0;
      let best = 1;
      let tokens = 1;
      let power = 1;
      for (let length = 1; length <= max; length++) {
        power *= share;
        tokens += power;
        const gain = tokens / (1 + cost * length);
        if (gain > best) [best, count] = [gain, length];
      }
    },
  };
}
