/** Number of tokens worth guessing, from the recent rate of accepted guesses. */
export interface DraftLength {
  /** Tokens to guess now; 0 where guessing costs more than it saves. */
  readonly count: number;
  /** Tells how a guess ended, whether or not it was fed. */
  update(isRight: boolean): void;
}

/** Weight of the latest guess in the share of those that came true. */
const weight = 0.15;
/** Initial value: just too low to guess. */
const firstShare = 0.4;

// Source: https://arxiv.org/abs/2211.17192 section 3
/**
 * Chooses the length of drafts. A step of `1 + k` tokens takes `1 + cost · k` times the time of one token and, where each guess
 * comes true with probability `p`, gives `1 + p + … + pᵏ` tokens; the `k` with the most tokens per time is taken. It depends on
 * the guesses alone and not on the clock, so that a sequence is always computed in the same steps.
 */
export function createDraftLength({ most, cost }: { most: number; cost: number }): DraftLength {
  let share = firstShare;
  let count = 0;
  return {
    get count() {
      return count;
    },
    update(isRight) {
      share += weight * ((isRight ? 1 : 0) - share);
      count = 0;
      let best = 1;
      let tokens = 1;
      let power = 1;
      for (let length = 1; length <= most; length++) {
        power *= share;
        tokens += power;
        const gain = tokens / (1 + cost * length);
        if (gain > best) [best, count] = [gain, length];
      }
    },
  };
}
