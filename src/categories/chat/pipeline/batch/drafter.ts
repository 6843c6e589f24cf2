import { createDraftLength } from '../../../../core/speculation/draft-length.ts';
import { createPromptLookup } from '../../../../core/speculation/prompt-lookup.ts';

/** Tokens that are guessed for one step. */
const mostGuesses = 7;
/**
 * Cost of a further token in a step, as a part of a step of one: 0.35 to 0.45 on processors with AVX2, where products of several
 * rows are bound by arithmetic; less where they are bound by memory.
 */
const costOfGuess = 0.4;

/**
 * Guesses the next tokens of one sequence from those that it has. Also the guesses that are not fed are compared with
 * what came, so that drafts begin where guesses come true and end where they don't.
 */
export class Drafter {
  readonly #lookup;
  readonly #length = createDraftLength({ most: mostGuesses, cost: costOfGuess });

  /** @param tokens of the sequence so far */
  constructor(tokens: Iterable<number>) {
    this.#lookup = createPromptLookup(tokens);
  }

  observe(token: number): void {
    const { guess } = this.#lookup;
    if (guess !== undefined) this.#length.update(guess === token);
    this.#lookup.append(token);
  }

  /** @param most tokens that are of use */
  draft(most: number): Int32Array {
    return this.#lookup.draft(Math.max(0, Math.min(this.#length.count, most)));
  }
}
