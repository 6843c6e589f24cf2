/** A text with this many repetitions, over this many tokens, keeps repeating. */
const [minRepeats, minTokens] = [4, 32] as const;

/**
 * Creates a function that reads a text token by token, and tells whether it ends in at least four repetitions over at least 32
 * tokens.
 * @param maxTokens maximum length of the text
 */
export function createLoopDetector(maxTokens: number): (token: number) => boolean {
  const text = new Int32Array(maxTokens);
  /** For each period, how many tokens at the end equal the token one period earlier. */
  const equal = new Int32Array(Math.floor(maxTokens / minRepeats) + 1);
  let length = 0;
  return (token) => {
    let isLoop = false;
    for (let period = 1; period < equal.length; period++) {
      equal[period] = period <= length && text[length - period] === token ? equal[period]! + 1 : 0;
      const repeated = equal[period]! + period;
      isLoop ||= equal[period]! > 0 && repeated >= Math.max(minTokens, minRepeats * period);
    }
    text[length++] = token;
    return isLoop;
  };
}
