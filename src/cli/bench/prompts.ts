/** Plain words: most vocabularies have a token for each. */
const words =
  'a red circle is above the blue square and two green stars are below it with one yellow cross to the left of three small black triangles in a large white picture on the right side'.split(
    ' ',
  );

/** Writes a text that is unique per index from its first words on, so that no cache helps. */
export function writeWords(index: number, count: number): string {
  // A multiplicative congruential generator is random enough for word order. (Park and Miller 1988)
  let state = ((index + 5) * 7919) % 2_147_483_647;
  const next = (): string => {
    state = (state * 48_271) % 2_147_483_647;
    return words[state % words.length]!;
  };
  return Array.from({ length: count }, next).join(' ');
}

const fewWords = 8;
const manyWords = 72;

/** Finds the number of words for a prompt of about this many tokens. */
export async function findWordCount(
  tokens: number,
  countTokens: (text: string) => Promise<number>,
): Promise<number> {
  const few = await countTokens(writeWords(-1, fewWords));
  const many = await countTokens(writeWords(-2, manyWords));
  const perWord = Math.max(0.1, (many - few) / (manyWords - fewWords));
  const improve = (wordCount: number, counted: number): number =>
    Math.max(1, Math.round(wordCount + (tokens - counted) / perWord));
  const guess = improve(manyWords, many);
  return improve(guess, await countTokens(writeWords(-3, guess)));
}
