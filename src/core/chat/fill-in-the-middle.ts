/** The tokens around the parts of a text with a gap. */
export interface InfillTokens {
  readonly prefix: number;
  readonly suffix: number;
  readonly middle: number;
}

/** Spellings of the tokens, in the order prefix, suffix, middle. */
const spellings = [
  // Qwen2.5-Coder, CodeGemma
  ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'],
  // StarCoder, Granite Code
  ['<fim_prefix>', '<fim_suffix>', '<fim_middle>'],
  // SantaCoder
  ['<fim-prefix>', '<fim-suffix>', '<fim-middle>'],
  // DeepSeek-Coder
  ['<｜fim▁begin｜>', '<｜fim▁hole｜>', '<｜fim▁end｜>'],
] as const;

/**
 * Finds the fill-in-the-middle tokens of a vocabulary. Bavarian et al. 2022: a model reads the prefix, then the suffix, each
 * after its token, and writes the middle after the third.
 */
export function findInfillTokens(tokenToId: (token: string) => number | undefined): InfillTokens | undefined {
  for (const spelling of spellings) {
    const [prefix, suffix, middle] = spelling.map(tokenToId);
    if (prefix !== undefined && suffix !== undefined && middle !== undefined)
      return { prefix, suffix, middle };
  }
  return undefined;
}
