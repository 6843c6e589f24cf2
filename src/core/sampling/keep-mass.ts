import { justBelow, keepAbove, keepFrom, maxOf, weightsInto, type Candidates } from './candidates.ts';
import { decay, decayWithin } from './decay.ts';
import { createScratch, weightScratch } from './scratch.ts';

/**
 * Sums of probabilities are compared with this relative tolerance, the resolution of float32 logits: a
 * nucleus of 0.7 holds 0.4 and 0.3 however their sum is rounded.
 */
export const massTolerance = 1e-6;

const bins = 2048;
const binsPerNat = 64;
/** Distance from the largest, in nats, from which all candidates share the last bin. */
const binnedReach = bins / binsPerNat;
/** Fewer are not worth bins. */
const minBinned = 512;

const binMass = new Float64Array(bins);
const createFloats = (length: number): Float64Array => new Float64Array(length);
const nearScratch = createScratch(createFloats);
const massScratch = createScratch(createFloats);

/**
 * Keeps the smallest set of candidates, taken by descending logit and of equals by token, until the sum of the weights reaches a
 * goal; at least one.
 * Equals have equal weights.
 */
export function keepMass(candidates: Candidates, weights: Float64Array, goal: number): Candidates {
  const { logits, size } = candidates;
  const near = nearScratch(size);
  const masses = massScratch(size);
  for (let i = 0; i < size; i++) {
    near[i] = logits[i]!;
    masses[i] = weights[i]!;
  }
  return keepToGoal(candidates, near, masses, size, goal);
}

/**
 * `keepMass` for a share of all weight. A histogram of weight over distance shows in which bin the goal is reached, and only
 * candidates of that bin are looked at again.
 */
export function keepShare(candidates: Candidates, share: number): Candidates {
  const largest = maxOf(candidates);
  if (candidates.size < minBinned) {
    const weights = weightScratch(candidates.size);
    return keepMass(candidates, weights, share * weightsInto(weights, candidates, largest));
  }
  const goal = share * weighBins(candidates, largest);
  // The last bin with anything in it, where rounding keeps the goal from being reached.
  let [reached, before] = [0, 0];
  for (let bin = 0, mass = 0; bin < bins && mass < goal; bin++) {
    if (binMass[bin] === 0) continue;
    [reached, before] = [bin, mass];
    mass += binMass[bin]!;
  }
  if (reached < bins - 1) keepFrom(candidates, justBelow(largest - (reached + 1) / binsPerNat));
  const { logits, size } = candidates;
  const [near, masses] = [nearScratch(size), massScratch(size)];
  let count = 0;
  for (let i = 0; i < size; i++) {
    const distance = largest - logits[i]!;
    if (binOf(distance) !== reached) continue;
    near[count] = logits[i]!;
    masses[count++] = decay(distance);
  }
  return keepToGoal(candidates, near, masses, count, goal - before);
}

/** @returns the sum of all weights */
function weighBins({ logits, size }: Candidates, largest: number): number {
  binMass.fill(0);
  let total = 0;
  let i = 0;
  // Four at a time takes half as long.
  for (; i + 4 <= size; i += 4) {
    const a = largest - logits[i]!;
    const b = largest - logits[i + 1]!;
    const c = largest - logits[i + 2]!;
    const d = largest - logits[i + 3]!;
    if (a < binnedReach && b < binnedReach && c < binnedReach && d < binnedReach) {
      const first = decayWithin(a);
      const second = decayWithin(b);
      const third = decayWithin(c);
      const fourth = decayWithin(d);
      addToBin((a * binsPerNat) | 0, first);
      addToBin((b * binsPerNat) | 0, second);
      addToBin((c * binsPerNat) | 0, third);
      addToBin((d * binsPerNat) | 0, fourth);
      total += first + second + (third + fourth);
    } else total += weigh(a) + weigh(b) + (weigh(c) + weigh(d));
  }
  for (; i < size; i++) total += weigh(largest - logits[i]!);
  return total;
}

function weigh(distance: number): number {
  const weight = decay(distance);
  addToBin(binOf(distance), weight);
  return weight;
}

/**
 * Cuts candidates off where the masses of some of them reach a goal, by descending value. Quickselect with three-way partitions and
 * pseudo-random pivots, as `selectDescending`; reorders its input.
 */
function keepToGoal(
  candidates: Candidates,
  values: Float64Array,
  masses: Float64Array,
  count: number,
  goal: number,
): Candidates {
  let [from, to, left] = [0, count, goal];
  for (let random = 0x9e3779b9; ;) {
    random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
    const pivot = values[from + (random % (to - from))]!;
    let [above, below, massAbove, massEqual] = [from, to, 0, 0];
    for (let i = from; i < below;) {
      const value = values[i]!;
      const mass = masses[i]!;
      if (value > pivot) {
        values[i] = values[above]!;
        masses[i++] = masses[above]!;
        values[above] = value;
        masses[above++] = mass;
        massAbove += mass;
      } else if (value < pivot) {
        values[i] = values[--below]!;
        masses[i] = masses[below]!;
        values[below] = value;
        masses[below] = mass;
      } else {
        massEqual += mass;
        i++;
      }
    }
    if (above > from && massAbove >= left) to = above;
    else if (below < to && massAbove + massEqual < left) {
      from = below;
      left -= massAbove + massEqual;
    } else {
      let equals = 1;
      for (left -= massAbove + masses[above]!; left > 0 && equals < below - above; left -= masses[above]!)
        equals++;
      keepFrom(candidates, pivot);
      return equals < below - above ? keepAbove(candidates, pivot, equals) : candidates;
    }
  }
}

function addToBin(bin: number, weight: number): void {
  binMass[bin] = binMass[bin]! + weight;
}

function binOf(distance: number): number {
  return distance < binnedReach ? (distance * binsPerNat) | 0 : bins - 1;
}
