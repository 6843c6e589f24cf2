import { createCandidates, largestLogit } from './candidates.ts';
import { decayReach, decayWithin } from './decay.ts';
import { pieceExceeding, pieceMasses, placeExceeding, weightOf } from './draw.ts';
import { createLargestCollector, scan, type Adjustments } from './scan.ts';
import { createScratch } from './scratch.ts';

const pieceLength = 512;
const pieceEnds = createScratch((length) => new Int32Array(length));
const best = createCandidates(1);
const largestCollector = createLargestCollector();

/**
 * Draws one of all tokens, where no sampler drops any: as `drawToken` of candidates that have been through `applyTemperature`,
 * but with no list of candidates. The weights of short pieces are summed, and only the piece in which the draw falls is looked
 * at again.
 */
export function drawFromAll(
  logits: Float32Array,
  adjustments: Adjustments,
  temperature: number,
  uniform: number,
): number {
  largestCollector.reset(best);
  scan(logits, adjustments, largestCollector);
  const largest = largestCollector.threshold;
  if (best.size === 0 || largest >= largestLogit) return -1;
  const inverse = Math.min(1 / temperature, largestLogit);
  const pieces = Math.ceil(logits.length / pieceLength) + 2 * adjustments.size;
  const masses = pieceMasses(pieces);
  const ends = pieceEnds(pieces);
  const count = weighPieces(masses, ends, logits, adjustments, largest, inverse);
  let total = 0;
  for (let piece = 0; piece < count; piece++) total += masses[piece]!;

  const goal = uniform * total;
  const drawn = pieceExceeding(masses, count, goal);
  let mass = 0;
  for (let piece = 0; piece < drawn; piece++) mass += masses[piece]!;
  const start = drawn === 0 ? 0 : ends[drawn - 1]!;
  if (ends[drawn] === start + 1) return start;
  return placeExceeding(logits, start, ends[drawn]!, largest, inverse, goal - mass);
}

/** Adjusted tokens are pieces of their own. */
function weighPieces(
  masses: Float64Array,
  ends: Int32Array,
  logits: Float32Array,
  adjustments: Adjustments,
  largest: number,
  inverse: number,
): number {
  let count = 0;
  let adjusted = 0;
  for (let start = 0; start < logits.length; count++) {
    const next = adjusted < adjustments.size ? adjustments.tokens[adjusted]! : logits.length;
    let end = Math.min(start + pieceLength, next);
    if (start === next) {
      masses[count] = weightOf((largest - adjustments.logits[adjusted++]!) * inverse);
      end = start + 1;
    } else masses[count] = massOf(logits, start, end, largest, inverse);
    ends[count] = end;
    start = end;
  }
  return count;
}

function massOf(logits: Float32Array, start: number, end: number, largest: number, inverse: number): number {
  const fours = end - ((end - start) % 4);
  let mass = 0;
  for (let token = start; token < fours; token += 4) {
    const a = (largest - logits[token]!) * inverse;
    const b = (largest - logits[token + 1]!) * inverse;
    const c = (largest - logits[token + 2]!) * inverse;
    const d = (largest - logits[token + 3]!) * inverse;
    if (a < decayReach && b < decayReach && c < decayReach && d < decayReach) {
      mass += decayWithin(a) + decayWithin(b) + (decayWithin(c) + decayWithin(d));
    } else mass += weightOf(a) + weightOf(b) + (weightOf(c) + weightOf(d));
  }
  for (let token = fours; token < end; token++) mass += weightOf((largest - logits[token]!) * inverse);
  return mass;
}
