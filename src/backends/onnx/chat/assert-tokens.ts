/**
 * Refuses token ids that a model doesn't have. Runtimes don't: a negative id counts from the end, and devices read whatever lies there.
 *
 * @throws RangeError
 */
export function assertTokens(tokens: Int32Array, vocabularySize: number): void {
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]!;
    if (token < 0 || token >= vocabularySize) {
      throw new RangeError(`tokens[${index}]: expected an id from 0 to ${vocabularySize - 1}, got ${token}`);
    }
  }
}
