import { lowerBound, assertNumber } from './scratch.ts';
import { assertNumbers, assertObject } from '../assert-values.ts';
import type { ParameterValues } from '../parameters/descriptor.ts';
import { assertCandidates, withinRange, type Candidates } from './candidates.ts';
import { applyChanges, type LogitChanges } from './changes.ts';
import { defineSampler } from './definition.ts';

/** Default of `repeatLastN`. */
export const penaltyWindow = 64;

export const penaltiesSampler = defineSampler({
  parameters: {
    frequencyPenalty: {
      type: 'float',
      min: -2,
      max: 2,
      default: 0,
      step: 0.1,
      section: 'advanced',
      description:
        'Penalizes tokens in proportion to how often they appeared; positive values reduce repetition.',
    },
    presencePenalty: {
      type: 'float',
      min: -2,
      max: 2,
      default: 0,
      step: 0.1,
      section: 'advanced',
      description: 'Penalizes tokens that appeared at all.',
    },
    repeatPenalty: {
      type: 'float',
      min: 0,
      max: 3,
      default: 1.1,
      step: 0.05,
      section: 'advanced',
      description:
        'Multiplicative penalty on the last tokens of the answer, as many as repeat_last_n says, punctuation and white space aside; 1 means none.',
    },
    repeatLastN: {
      type: 'int',
      min: -1,
      max: 131072,
      default: penaltyWindow,
      step: 1,
      section: 'advanced',
      description: 'Number of last tokens that these three penalties look at; -1 is all, 0 none.',
    },
  },
  neutral: { frequencyPenalty: 0, presencePenalty: 0, repeatPenalty: 1 },
  actsWhenGreedy: true,
  actsWithMirostat: true,
  create({ repeatPenalty, frequencyPenalty, presencePenalty, repeatLastN }, { isWord, vocabularySize }) {
    const given = { repeatPenalty, frequencyPenalty, presencePenalty, repeatLastN };
    const withoutRepeat = { ...given, repeatPenalty: 1 };
    const changes = createWindow(repeatLastN, vocabularySize, (token) =>
      isWord(token) ? given : withoutRepeat,
    );
    const raises = repeatPenalty < 1 || frequencyPenalty < 0 || presencePenalty < 0;
    return {
      apply: (candidates, isPenalized) => applyChanges(candidates, changes, isPenalized),
      changes,
      ...(raises ? {} : { lowered: () => changes.size }),
      accept: changes.accept,
      memory: repeatLastN < 0 ? Infinity : repeatLastN,
    };
  },
});

/** Options of the penalties on recent tokens. */
export type Penalties = ParameterValues<typeof penaltiesSampler.parameters>;

/** The last tokens as a set, with their penalties. Costs no allocation once it is there. */
interface TokenWindow extends LogitChanges {
  /** Adds a token, below 2³¹; the oldest leaves when there are too many. */
  accept(token: number): void;
}

/** @param length of the window; −1 for an unbounded one @param maxTokens maximum number of different tokens */
function createWindow(
  length: number,
  maxTokens: number,
  penaltiesOf: (token: number) => Penalties,
): TokenWindow {
  const recent = new Int32Array(Math.max(0, length));
  const capacity = length < 0 ? maxTokens : Math.min(length, maxTokens);
  const tokens = new Int32Array(capacity + 1);
  /** Count of each of `tokens` in the window. */
  const counts = new Int32Array(capacity + 1);
  let accepted = 0;
  let size = 0;

  const remove = (token: number): void => {
    const place = lowerBound(tokens, token, size);
    if (--counts[place]! > 0) return;
    tokens.copyWithin(place, place + 1, size);
    counts.copyWithin(place, place + 1, size);
    size--;
  };

  return {
    tokens,
    spares: true,
    get size() {
      return size;
    },
    changed: (place, logit) => penalized(logit, counts[place]!, penaltiesOf(tokens[place]!)),
    accept(token) {
      if (length === 0) return;
      if (length > 0) {
        const slot = accepted++ % length;
        if (accepted > length) remove(recent[slot]!);
        recent[slot] = token;
      }
      const place = lowerBound(tokens, token, size);
      if (place === size || tokens[place] !== token) {
        tokens.copyWithin(place + 1, place, size);
        counts.copyWithin(place + 1, place, size);
        tokens[place] = token;
        counts[place] = 0;
        size++;
      }
      counts[place]!++;
    },
  };
}

/**
 * Penalises the candidates among the last `repeatLastN` tokens of a history (default 64; −1: all). A positive logit is divided by
 * `repeatPenalty`,
 * a negative one multiplied by it, once however often the token occurred; then `frequencyPenalty` times that count and
 * `presencePenalty` are subtracted. A `repeatPenalty` of 0 acts as the limit towards 0: positive logits become the largest finite
 * float32, negative ones 0.
 *
 * Repeat penalty: Keskar et al., CTRL, arXiv:1909.05858 §4.1.
 *
 * @param candidates mutated
 * @param history token ids, oldest first
 * @param penalties omitted ones do nothing
 * @throws TypeError for a penalty that is no number
 *
 * @example
 * ```ts
 * applyPenalties(candidatesFrom([2, 2]), [1], { repeatPenalty: 2 }).logits; // [2, 1]
 * ```
 */
export function applyPenalties(
  candidates: Candidates,
  history: ArrayLike<number>,
  penalties: Partial<Penalties>,
): Candidates {
  assertObject('penalties', penalties);
  const {
    repeatPenalty = 1,
    frequencyPenalty = 0,
    presencePenalty = 0,
    repeatLastN = penaltyWindow,
  } = penalties;
  assertCandidates(candidates);
  assertNumbers('history', history);
  assertNumber('repeatPenalty', repeatPenalty);
  assertNumber('frequencyPenalty', frequencyPenalty);
  assertNumber('presencePenalty', presencePenalty);
  if (!Number.isInteger(repeatLastN) || repeatLastN < -1)
    throw new RangeError(`repeatLastN: expected an integer of at least -1, got ${repeatLastN}`);
  const given = { repeatPenalty, frequencyPenalty, presencePenalty, repeatLastN };
  const window = createWindow(Math.min(repeatLastN, history.length), history.length, () => given);
  const first = repeatLastN < 0 ? 0 : Math.max(0, history.length - repeatLastN);
  for (let i = first; i < history.length; i++) {
    // Only token ids can be candidates.
    if ((history[i]! | 0) === history[i]) window.accept(history[i]!);
  }
  return applyChanges(candidates, window);
}

/** The logit of a token that occurred `count` times, at least once. */
function penalized(
  logit: number,
  count: number,
  { repeatPenalty, frequencyPenalty, presencePenalty }: Penalties,
): number {
  const repeated = withinRange(logit > 0 ? logit / repeatPenalty : logit * repeatPenalty);
  return withinRange(repeated - count * frequencyPenalty - presencePenalty);
}
