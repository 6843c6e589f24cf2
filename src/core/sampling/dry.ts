import { assertObject } from '../assert-values.ts';
import { assertNumbers } from '../assert-values.ts';
import type { ParameterTable, ParameterValues } from '../parameters/descriptor.ts';
import { assertNumber, createScratch } from './scratch.ts';
import { assertCandidates, positionOf, withinRange, type Candidates } from './candidates.ts';
import { defineSampler } from './definition.ts';
import type { DryBreakers } from './dry-breakers.ts';

const parameters = {
  dryMultiplier: {
    type: 'float',
    min: 0,
    max: 5,
    default: 0,
    step: 0.05,
    section: 'advanced',
    description: 'DRY: penalty of a token that would continue a repetition of several tokens; 0 disables.',
  },
  dryBase: {
    type: 'float',
    min: 1,
    max: 8,
    default: 1.75,
    step: 0.05,
    section: 'advanced',
    description: 'DRY: the penalty grows by this factor with each further repeated token.',
  },
  dryAllowedLength: {
    type: 'int',
    min: 0,
    max: 1000,
    default: 2,
    step: 1,
    section: 'advanced',
    description: 'DRY: the shortest repetition, in tokens, that is penalized.',
  },
  dryPenaltyLastN: {
    type: 'int',
    min: -1,
    max: 131072,
    default: -1,
    step: 1,
    section: 'advanced',
    description: 'DRY: number of last tokens to search; -1 is all, 0 disables.',
  },
} as const satisfies ParameterTable;

export const drySampler = defineSampler({
  parameters,
  neutral: { dryMultiplier: 0 },
  actsWhenGreedy: true,
  create(given, { dryBreakers }) {
    const options = { ...given, dryBreakers };
    const { dryPenaltyLastN } = options;
    /** All tokens of the sequence so far, oldest first. */
    const history: number[] = [];
    return {
      apply: (candidates, isPenalized) => penalizeRepetition(candidates, history, options, isPenalized),
      lowered: () => Infinity,
      accept: (token) => void history.push(token),
      memory: dryPenaltyLastN < 0 ? Infinity : dryPenaltyLastN,
    };
  },
});

type DryParameters = ParameterValues<typeof parameters>;

/** Options of `applyDry`, as `createSampler` takes them; all but the multiplier have its defaults. */
export interface DryOptions
  extends Partial<Omit<DryParameters, 'dryMultiplier'>>, Pick<DryParameters, 'dryMultiplier'> {
  /** Sequences of tokens that a repetition doesn't reach across; default empty. */
  readonly dryBreakers?: DryBreakers;
}

const noBreakers: DryBreakers = new Map();
const repeatScratch = createScratch((length) => new Int32Array(length));
/** Natural logarithm of the largest finite float32, which bounds the penalty. */
const maxExponent = 88.7228391;

/**
 * Don't repeat yourself: penalises the tokens that would continue a repetition. Where the end of the history, L tokens
 * long, was there before, `dryMultiplier × dryBase^(L − dryAllowedLength)` is subtracted from the logit of the token that
 * followed; of several such places the longest counts.
 *
 * By its author's description, https://github.com/oobabooga/text-generation-webui/pull/5677.
 *
 * @param candidates mutated
 * @param history token ids, oldest first
 * @throws TypeError for an option that is no number
 *
 * @example
 * ```ts
 * applyDry(candidatesFrom([0, 0, 0]), [0, 1, 2, 0, 1], { dryMultiplier: 1 }).logits; // [0, 0, -1]
 * ```
 */
export function applyDry(
  candidates: Candidates,
  history: ArrayLike<number>,
  options: DryOptions,
): Candidates {
  assertObject('options', options);
  assertCandidates(candidates);
  assertNumbers('history', history);
  const {
    dryMultiplier,
    dryBase = parameters.dryBase.default,
    dryAllowedLength = parameters.dryAllowedLength.default,
    dryPenaltyLastN = parameters.dryPenaltyLastN.default,
    dryBreakers = noBreakers,
  } = options;
  const numbers = { dryMultiplier, dryBase, dryAllowedLength, dryPenaltyLastN };
  for (const [name, value] of Object.entries(numbers)) assertNumber(name, value);
  return penalizeRepetition(candidates, history, { ...numbers, dryBreakers });
}

/** `applyDry` without its checks, and perhaps with tokens that are spared. */
function penalizeRepetition(
  candidates: Candidates,
  history: ArrayLike<number>,
  options: Required<DryOptions>,
  isPenalized?: (token: number) => boolean,
): Candidates {
  const { dryMultiplier: multiplier, dryBase: base, dryAllowedLength: allowedLength } = options;
  const { dryPenaltyLastN: penaltyLastN, dryBreakers: breakers } = options;
  const end = history.length;
  const count = penaltyLastN < 0 ? end : Math.min(end, penaltyLastN);
  if (multiplier === 0 || base < 1 || count <= allowedLength) return candidates;
  const reach = reachOf(history, count, breakers);
  if (reach < allowedLength) return candidates;
  const repeats = repeatScratch(count);
  repeatsInto(repeats, history, count);

  /** Token → the longest repetition that it would continue. */
  const longest = new Map<number, number>();
  for (let age = 1; age < count; age++) {
    const repeat = Math.min(repeats[age]!, reach);
    const token = history[end - age]!;
    if (repeat >= allowedLength) longest.set(token, Math.max(repeat, longest.get(token) ?? 0));
  }
  const steps = base > 1.000001 ? Math.floor(maxExponent / Math.log(base)) : Infinity;
  for (const [token, repeat] of longest) {
    const place = positionOf(candidates, token);
    if (place < 0 || isBreaker(breakers, token) || isPenalized?.(token) === false) continue;
    const penalty = multiplier * base ** Math.min(repeat - allowedLength, steps);
    candidates.logits[place] = withinRange(candidates.logits[place]! - penalty);
  }
  return candidates;
}

/** Number of tokens after the last breaker. */
function reachOf(history: ArrayLike<number>, count: number, breakers: DryBreakers): number {
  const end = history.length;
  for (let after = 0; after < count; after++) {
    const tails = breakers.get(history[end - 1 - after]!);
    if (tails === undefined) continue;
    let longest = -1;
    for (const tail of tails) {
      if (tail.length > longest && tail.length <= after && follows(tail, history, end - after))
        longest = tail.length;
    }
    if (longest >= 0) return after - longest;
  }
  return count;
}

function follows(tail: readonly number[], history: ArrayLike<number>, start: number): boolean {
  for (let i = 0; i < tail.length; i++) if (tail[i] !== history[start + i]) return false;
  return true;
}

function isBreaker(breakers: DryBreakers, token: number): boolean {
  const tails = breakers.get(token);
  return tails !== undefined && tails.some((tail) => tail.length === 0);
}

/**
 * Writes for each age from 1 how many of the last tokens were also the last ones at that age. The Z-algorithm,
 * backwards: Gusfield, Algorithms on Strings, Trees and Sequences, §1.4.
 */
function repeatsInto(repeats: Int32Array, history: ArrayLike<number>, count: number): void {
  const last = history.length - 1;
  let start = 0;
  let stop = 0;
  for (let age = 1; age < count; age++) {
    let length = age < stop ? Math.min(stop - age, repeats[age - start]!) : 0;
    while (age + length < count && history[last - length] === history[last - age - length]) length++;
    repeats[age] = length;
    if (age + length > stop) {
      start = age;
      stop = age + length;
    }
  }
}
