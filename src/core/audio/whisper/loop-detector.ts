/** A text that says the same so often, and for so many tokens, goes on with it. */
const [leastRepeats, leastTokens] = [4, 32] as const;

/** Notices when a text ends in repetitions. */
export interface LoopDetector {
  /** @returns whether the text, with this token, ends in at least four times the same, in at least 32 tokens */
  read(token: number): boolean;
}

/** @param most tokens that a text has at most */
export function createLoopDetector(most: number): LoopDetector {
  const text = new Int32Array(most);
  /** By period: how many tokens at the end equal those of one period before. */
  const equal = new Int32Array(Math.floor(most / leastRepeats) + 1);
  let length = 0;
  return {
    read(token) {
      let isLoop = false;
      for (let period = 1; period < equal.length; period++) {
        equal[period] = period <= length && text[length - period] === token ? equal[period]! + 1 : 0;
        const repeated = equal[period]! + period;
        isLoop ||= equal[period]! > 0 && repeated >= Math.max(leastTokens, leastRepeats * period);
      }
      text[length++] = token;
      return isLoop;
    },
  };
}
