import { grown } from '../sampling/scratch.ts';

const hashBits = 12;
/** Number of earlier positions to compare, and of tokens before each. */
const maxPlaces = 32;
const maxTokens = 32;

// Source: https://github.com/apoorvumang/prompt-lookup-decoding
/**
 * Guesses the next tokens of a sequence from its earlier ones: edits, quotations and extractions repeat long parts of
 * their prompts. It follows the position with the longest match, the latest of equal ones, until a token differs; a
 * match has at least two tokens. Appending and guessing take constant time.
 */
export function createPromptLookup(tokens: Iterable<number> = []) {
  let history = new Int32Array(1024);
  /** For the end of each pair of tokens, the end of the previous pair with the same hash, −1 without one. */
  let previous = new Int32Array(1024);
  const latest = new Int32Array(2 ** hashBits).fill(-1);
  let length = 0;
  /** Position of the guess; −1 without one. */
  let place = -1;

  const lookup = {
    /** Tokens so far. */
    get length() {
      return length;
    },
    /** The expected next token; `undefined` without an earlier match of the last tokens. */
    get guess() {
      return place < 0 ? undefined : history[place];
    },
    append(token: number): void {
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
    /** The `count` expected next tokens; empty without a guess. */
    draft(count: number): Int32Array {
      if (place < 0) return new Int32Array(0);
      const draft = new Int32Array(count);
      // A guess that reaches the end continues with itself: repetitions are expected to continue.
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
    for (let places = 0; end >= 0 && places < maxPlaces; places++, end = previous[end]!) {
      let matched = 0;
      while (
        matched < maxTokens &&
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
