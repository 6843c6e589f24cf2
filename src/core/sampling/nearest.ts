import { weightsInto, type Candidates } from './candidates.ts';
import { decay, decayWithin } from './decay.ts';
import { createScratch } from './scratch.ts';

/**
 * Sums of probabilities are compared with this relative tolerance, which is what float32 logits can tell apart: a
 * nucleus of 0.7 holds 0.4 and 0.3 however their sum is rounded.
 */
export const massTolerance = 1e-6;

const bins = 2048;
const binsPerNat = 64;
const fewCandidates = 48;

/** Distance from the centre, in nats, from which all candidates share the last bin. */
const binnedReach = bins / binsPerNat;

const binMass = new Float64Array(bins);
const distanceScratch = createScratch((length) => new Float64Array(length));
const massScratch = createScratch((length) => new Float64Array(length));

/**
 * Keeps the smallest set of candidates, taken by ascending |center − logit| and of equals by token, whose weights reach a goal;
 * at least one. With the largest logit as center that is descending probability. Nothing is sorted but a handful: a histogram
 * of weight over distance shows in which bin the goal is reached, and only candidates of that bin are looked at again.
 */
export function keepNearest(
  candidates: Candidates,
  weights: Float64Array,
  center: number,
  goal: number,
): Candidates {
  if (candidates.size > fewCandidates) weighBins(candidates.logits, weights, candidates.size, center);
  return keepByBins(candidates, weights, center, goal);
}

/** `keepNearest` after the weights have been put into the bins. */
function keepByBins(candidates: Candidates, weights: Float64Array, center: number, goal: number): Candidates {
  const { logits, size } = candidates;
  const distances = distanceScratch(size);
  const masses = massScratch(size);
  let mass = 0;
  let count = size;
  if (size > fewCandidates) {
    const reached = binReaching(goal);
    mass = massBefore(reached);
    count = gatherBin(reached, candidates, weights, center, distances, masses);
  } else {
    for (let i = 0; i < size; i++) {
      distances[i] = Math.abs(center - logits[i]!);
      masses[i] = weights[i]!;
    }
  }
  findCut(distances, masses, count, goal - mass);
  candidates.size =
    cut.equals === Infinity ? moveNear(candidates, center) : moveNearOrEqual(candidates, center);
  return candidates;
}

/**
 * `keepNearest` around the largest logit, which works out the weights itself, as `weightsInto` does, and counts them while it
 * does.
 */
export function keepLargestShare(
  candidates: Candidates,
  weights: Float64Array,
  largest: number,
  share: number,
): Candidates {
  const { logits, size } = candidates;
  if (size <= fewCandidates)
    return keepByBins(candidates, weights, largest, share * weightsInto(weights, candidates, largest));
  const fours = size - (size % 4);
  binMass.fill(0);
  const total =
    decayByFours(weights, logits, fours, largest) + decayEach(weights, logits, fours, size, largest);
  return keepByBins(candidates, weights, largest, share * total);
}

function decayByFours(weights: Float64Array, logits: Float64Array, end: number, largest: number): number {
  let total = 0;
  for (let i = 0; i < end; i += 4) {
    const a = largest - logits[i]!;
    const b = largest - logits[i + 1]!;
    const c = largest - logits[i + 2]!;
    const d = largest - logits[i + 3]!;
    if (a < binnedReach && b < binnedReach && c < binnedReach && d < binnedReach) {
      const first = decayWithin(a);
      const second = decayWithin(b);
      const third = decayWithin(c);
      const fourth = decayWithin(d);
      weights[i] = first;
      weights[i + 1] = second;
      weights[i + 2] = third;
      weights[i + 3] = fourth;
      addToBin((a * binsPerNat) | 0, first);
      addToBin((b * binsPerNat) | 0, second);
      addToBin((c * binsPerNat) | 0, third);
      addToBin((d * binsPerNat) | 0, fourth);
      total += first + second + (third + fourth);
    } else total += decayEach(weights, logits, i, i + 4, largest);
  }
  return total;
}

function decayEach(
  weights: Float64Array,
  logits: Float64Array,
  start: number,
  end: number,
  largest: number,
): number {
  let total = 0;
  for (let i = start; i < end; i++) {
    const distance = largest - logits[i]!;
    const weight = decay(distance);
    addToBin(binOf(distance), weight);
    weights[i] = weight;
    total += weight;
  }
  return total;
}

/** Writes distance and weight of a bin's candidates, and returns how many they are. */
function gatherBin(
  bin: number,
  { logits, size }: Candidates,
  weights: Float64Array,
  center: number,
  distances: Float64Array,
  masses: Float64Array,
): number {
  let count = 0;
  // Four at a time takes half as long.
  for (let i = 0; i < size; i += 4) {
    const end = Math.min(i + 4, size);
    if (end === i + 4) {
      const a = Math.abs(center - logits[i]!);
      const b = Math.abs(center - logits[i + 1]!);
      const c = Math.abs(center - logits[i + 2]!);
      const d = Math.abs(center - logits[i + 3]!);
      const areBinned = a < binnedReach && b < binnedReach && c < binnedReach && d < binnedReach;
      if (
        areBinned &&
        ((a * binsPerNat) | 0) !== bin &&
        ((b * binsPerNat) | 0) !== bin &&
        ((c * binsPerNat) | 0) !== bin &&
        ((d * binsPerNat) | 0) !== bin
      )
        continue;
    }
    for (let j = i; j < end; j++) {
      const distance = Math.abs(center - logits[j]!);
      if (binOf(distance) !== bin) continue;
      distances[count] = distance;
      masses[count++] = weights[j]!;
    }
  }
  return count;
}

/**
 * The result of a search: all nearer than `distance` stay, and of those just as far the first `equals`, or all if that is
 * infinite.
 */
const cut = { distance: 0, equals: 0 };

/** All up to the cut. */
function moveNear({ tokens, logits, size }: Candidates, center: number): number {
  const { distance } = cut;
  const fours = size - (size % 4);
  let kept = 0;
  // Four at a time takes half as long; a branch would often be guessed wrong.
  for (let i = 0; i < fours; i += 4) {
    const a = logits[i]!;
    const b = logits[i + 1]!;
    const c = logits[i + 2]!;
    const d = logits[i + 3]!;
    const second = tokens[i + 1]!;
    const third = tokens[i + 2]!;
    const fourth = tokens[i + 3]!;
    tokens[kept] = tokens[i]!;
    logits[kept] = a;
    kept += Number(Math.abs(center - a) <= distance);
    tokens[kept] = second;
    logits[kept] = b;
    kept += Number(Math.abs(center - b) <= distance);
    tokens[kept] = third;
    logits[kept] = c;
    kept += Number(Math.abs(center - c) <= distance);
    tokens[kept] = fourth;
    logits[kept] = d;
    kept += Number(Math.abs(center - d) <= distance);
  }
  for (let i = fours; i < size; i++) {
    const logit = logits[i]!;
    tokens[kept] = tokens[i]!;
    logits[kept] = logit;
    kept += Number(Math.abs(center - logit) <= distance);
  }
  return kept;
}

/** All before the cut and some at it. */
function moveNearOrEqual({ tokens, logits, size }: Candidates, center: number): number {
  const { distance } = cut;
  let left = cut.equals;
  let kept = 0;
  for (let i = 0; i < size; i++) {
    const logit = logits[i]!;
    tokens[kept] = tokens[i]!;
    logits[kept] = logit;
    if (Math.abs(center - logit) === distance) kept += Number(left-- > 0);
    else kept += Number(Math.abs(center - logit) < distance);
  }
  return kept;
}

/** Finds where the goal is reached, among ever fewer. Reorders what it is given. */
function findCut(distances: Float64Array, masses: Float64Array, size: number, goal: number): void {
  let count = size;
  let left = goal;
  while (count > fewCandidates) {
    let nearest = Infinity;
    let farthest = -Infinity;
    for (let i = 0; i < count; i++) {
      const distance = distances[i]!;
      if (distance < nearest) nearest = distance;
      if (distance > farthest) farthest = distance;
    }
    if (nearest === farthest) break;
    const span = farthest - nearest;
    binMass.fill(0);
    for (let i = 0; i < count; i++) {
      const bin = (((distances[i]! - nearest) / span) * (bins - 1)) | 0;
      binMass[bin] = binMass[bin]! + masses[i]!;
    }
    const reached = binReaching(left);
    left -= massBefore(reached);
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const distance = distances[i]!;
      if (((((distance - nearest) / span) * (bins - 1)) | 0) === reached) {
        distances[kept] = distance;
        masses[kept++] = masses[i]!;
      }
    }
    count = kept;
  }
  if (count <= fewCandidates) sortByDistance(distances, masses, count);
  let place = 0;
  left -= masses[0]!;
  while (left > 0 && place < count - 1) left -= masses[++place]!;
  cut.distance = distances[place]!;
  cut.equals = 1;
  if (place === count - 1 || distances[place + 1] !== cut.distance) cut.equals = Infinity;
  while (place > 0 && distances[--place] === cut.distance) cut.equals++;
}

function weighBins(logits: Float64Array, weights: Float64Array, size: number, center: number): void {
  binMass.fill(0);
  const fours = size - (size % 4);
  // Four at a time takes half as long.
  for (let i = 0; i < fours; i += 4) {
    const a = binOf(Math.abs(center - logits[i]!));
    const b = binOf(Math.abs(center - logits[i + 1]!));
    const c = binOf(Math.abs(center - logits[i + 2]!));
    const d = binOf(Math.abs(center - logits[i + 3]!));
    addToBin(a, weights[i]!);
    addToBin(b, weights[i + 1]!);
    addToBin(c, weights[i + 2]!);
    addToBin(d, weights[i + 3]!);
  }
  for (let i = fours; i < size; i++) addToBin(binOf(Math.abs(center - logits[i]!)), weights[i]!);
}

function addToBin(bin: number, weight: number): void {
  binMass[bin] = binMass[bin]! + weight;
}

function binOf(distance: number): number {
  return distance < binnedReach ? (distance * binsPerNat) | 0 : bins - 1;
}

/** The bin in which the goal is reached, or the last with anything in it where rounding keeps it from being reached. */
function binReaching(goal: number): number {
  let mass = 0;
  let last = 0;
  for (let bin = 0; bin < bins; bin++) {
    if (binMass[bin] === 0) continue;
    mass += binMass[bin]!;
    last = bin;
    if (mass >= goal) break;
  }
  return last;
}

function massBefore(end: number): number {
  let mass = 0;
  for (let bin = 0; bin < end; bin++) mass += binMass[bin]!;
  return mass;
}

/** Insertion sort: few elements, and stable. */
function sortByDistance(distances: Float64Array, masses: Float64Array, count: number): void {
  for (let i = 1; i < count; i++) {
    const distance = distances[i]!;
    const mass = masses[i]!;
    let place = i;
    for (; place > 0 && distances[place - 1]! > distance; place--) {
      distances[place] = distances[place - 1]!;
      masses[place] = masses[place - 1]!;
    }
    distances[place] = distance;
    masses[place] = mass;
  }
}
