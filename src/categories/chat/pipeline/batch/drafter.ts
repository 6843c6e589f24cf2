import { createDraftLength } from '../../../../core/speculation/draft-length.ts';
import { createPromptLookup } from '../../../../core/speculation/prompt-lookup.ts';

const maxDraftTokens = 7;
/** Cost of an extra token in a step, relative to a step of one token: 0.35 to 0.45 on processors with AVX2 (compute-bound); less if memory-bound. */
const costOfGuess = 0.4;

/** Prompt lookup. Unfed drafts are scored too, so drafting starts when it pays and stops when it doesn't. */
export function createDrafter(tokens: Iterable<number>) {
  const lookup = createPromptLookup(tokens);
  const length = createDraftLength({ max: maxDraftTokens, cost: costOfGuess });
  return {
    observe(token: number): void {
      const { guess } = lookup;
      if (guess !== undefined) length.update(guess === token);
      lookup.append(token);
    },
    draft: (max: number): Int32Array => lookup.draft(Math.max(0, Math.min(length.count, max))),
  };
}

export type Drafter = ReturnType<typeof createDrafter>;
