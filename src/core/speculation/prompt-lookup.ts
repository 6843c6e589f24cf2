import { grown } from '../sampling/scratch.ts';

/** Finds what followed the last time that a sequence read as it does now. */
export interface PromptLookup {
  /** Tokens so far. */
  readonly length: number;
  /** The token that is expected next; `undefined` where nothing like the last tokens came before. */
  readonly guess: number | undefined;
  /** Adds the next token of the sequence. */
  append(token: number): void;
  /** The tokens that are expected next: `count` of them, or none where there is no guess. */
  draft(count: number): Int32Array;
}

const hashBits = 12;
/** Number of earlier places to compare, and of tokens before each. */
const mostPlaces = 32;
const mostTokens = 32;

// Source: https://github.com/apoorvumang/prompt-lookup-decoding
/**
 * Guesses the next tokens of a sequence from its earlier ones: texts that are edited, quoted or extracted from repeat long
 * pieces of their prompts. The place with the longest match is followed until a token differs, the later one of equals; a match
 * has two tokens or more. Appending and guessing take constant time.
 */
export function createPromptLookup(tokens: Iterable<number> = []): PromptLookup {
  let history = new Int32Array(1024);
  /** The earlier end of a pair of tokens with the same hash, −1 if there is none; by the end of the pair. */
  let previous = new Int32Array(1024);
  const latest = new Int32Array(2 ** hashBits).fill(-1);
  let length = 0;
  /** Position of the guess; −1 without one. */
  let place = -1;

  const lookup: PromptLookup = {
    get length() {
      return length;
    },
    get guess() {
      return place < 0 ? undefined : history[place];
    },
    append(token) {
      if (length === history.length) {
        history = grown(history, 2 * history.length);
        previous = grown(previous, 2 * previous.length);
      }
      history[length++] = token;
      const follows = place >= 0 && history[place] === token;
      place = follows ? place + 1 : -1;
      if (length < 2) return;
      const end = length - 1;
      const hash = hashOf(history[end - 1]!, token);
      if (!follows) place = find(latest[hash]!);
      previous[end] = latest[hash]!;
      latest[hash] = end;
    },
    draft(count) {
      if (place < 0) return new Int32Array(0);
      const draft = new Int32Array(count);
      // A guess that reaches the end goes on with itself: what repeats is expected to repeat again.
      for (let index = 0; index < count; index++) {
        const at = place + index;
        draft[index] = at < length ? history[at]! : draft[at - length]!;
      }
      return draft;
    },
  };
  for (const token of tokens) lookup.append(token);
  return lookup;

  /** @returns the position after the longest match with the end of the sequence, among the ends of pairs from `end` on */
  function find(end: number): number {
    let best = -1;
    let longest = 1;
    for (let places = 0; end >= 0 && places < mostPlaces; places++, end = previous[end]!) {
      let matched = 0;
      while (
        matched < mostTokens &&
        matched <= end &&
        history[end - matched] === history[length - 1 - matched]
      )
        matched++;
      if (matched <= longest) continue;
      longest = matched;
      best = end + 1;
    }
    return best;
  }
}

function hashOf(first: number, second: number): number {
  return (Math.imul(first, 0x9e37_79b1) ^ Math.imul(second, 0x85eb_ca6b)) >>> (32 - hashBits);
}
