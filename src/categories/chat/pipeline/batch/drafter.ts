import { createDraftLength } from '../../../../core/speculation/draft-length.ts';
import { createPromptLookup } from '../../../../core/speculation/prompt-lookup.ts';

/** Tokens that are guessed for one step. */
const maxDraftTokens = 7;
/**
 * Cost of a further token in a step, as a part of a step of one: 0.35 to 0.45 on processors with AVX2, where products of several
 * rows are bound by arithmetic; less where they are bound by memory.
 */
const costOfGuess = 0.4;

/**
 * Guesses the next tokens of one sequence from those that it has. Also the guesses that are not fed are compared with
 * what came, so that drafts begin where guesses come true and end where they don't.
 * @param tokens of the sequence so far
 */
export function createDrafter(tokens: Iterable<number>) {
  const lookup = createPromptLookup(tokens);
  const length = createDraftLength({ most: maxDraftTokens, cost: costOfGuess });
  return {
    observe(token: number): void {
      const { guess } = lookup;
      if (guess !== undefined) length.update(guess === token);
      lookup.append(token);
    },
    /** @param most tokens that are of use */
    draft: (most: number): Int32Array => lookup.draft(Math.max(0, Math.min(length.count, most))),
  };
}

export type Drafter = ReturnType<typeof createDrafter>;
