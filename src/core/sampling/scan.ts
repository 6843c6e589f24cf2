import { openSimd, type Simd } from '../math/simd.ts';
import { justBelow, maxOf, withinRange, type Candidates, weightsInto } from './candidates.ts';

/** Evenly spaced raw logits: about one of `stride`. */
export interface LogitSample {
  /** The first `size` count. Collectors may reorder them. */
  readonly logits: Float64Array;
  readonly size: number;
  readonly stride: number;
}

/**
 * Gathers what the first sampler of a chain would keep, and perhaps some more, while the logits are read for the
 * first time: the logits above a threshold that rises with each find. Applying that sampler to them is exact.
 */
export interface Collector {
  /** Logits at or below this are not wanted. */
  threshold: number;
  /** Resets the state; `candidates` must be empty. */
  reset(candidates: Candidates): void;
  /** Raises the threshold as far as a sample shows to be safe, or most likely lossless. */
  learn(sample: LogitSample): void;
  /** Whether it has all that its sampler would keep; otherwise all logits have to be read into candidates. */
  isComplete(): boolean;
  add(token: number, logit: number): void;
}

/** The logits that a chain reads instead of the model's, tokens ascending. */
export interface Adjustments {
  readonly tokens: Int32Array;
  readonly logits: Float64Array;
  size: number;
}

const samplesPerScan = 1024;
const lastSample = { logits: new Float64Array(samplesPerScan), size: 0, stride: 1 };

/** A sample of the logits that may be drawn; empty for fewer than some thousand. */
function sampleOf(logits: Float32Array, adjustments: Adjustments, allow?: Uint32Array): LogitSample {
  lastSample.size = 0;
  lastSample.stride = Math.floor(logits.length / samplesPerScan);
  if (lastSample.stride < 4) return lastSample;
  let adjusted = 0;
  for (let i = 0, token = 0; i < samplesPerScan; i++, token += lastSample.stride) {
    while (adjusted < adjustments.size && adjustments.tokens[adjusted]! < token) adjusted++;
    if (adjusted < adjustments.size && adjustments.tokens[adjusted] === token) continue;
    const logit = logits[token]!;
    if (logit > -Infinity && allows(allow, token)) lastSample.logits[lastSample.size++] = withinRange(logit);
  }
  return lastSample;
}

/** Whether a mask lets a token be drawn. */
export function allows(allow: Uint32Array | undefined, token: number): boolean {
  return allow === undefined || ((allow[token >>> 5]! >>> (token & 31)) & 1) === 1;
}

/** Whether a mask leaves so few tokens, by a sample of them, that it takes less to read those alone. */
export function leavesFew(allow: Uint32Array, length: number): boolean {
  const stride = Math.floor(length / samplesPerScan);
  if (stride < 4) return true;
  let left = 0;
  for (let i = 0; i < samplesPerScan; i++) left += Number(allows(allow, i * stride));
  return left < samplesPerScan / 16;
}

/** Offers every logit above the collector's threshold to it, in token order, in one pass that writes nothing else. */
export function scan(
  logits: Float32Array,
  adjustments: Adjustments,
  collector: Collector,
  allow?: Uint32Array,
): void {
  collector.learn(sampleOf(logits, adjustments, allow));
  const simd = openSimd(logits.byteLength + 64);
  simd.holder = undefined;
  simd.floats.set(logits);
  let start = 0;
  for (let i = 0; i < adjustments.size; i++) {
    const token = adjustments.tokens[i]!;
    scanRange(simd, start, token, collector, allow);
    const logit = adjustments.logits[i]!;
    if (logit > collector.threshold) collector.add(token, logit);
    start = token + 1;
  }
  scanRange(simd, start, logits.length, collector, allow);
}

function scanRange(simd: Simd, start: number, end: number, collector: Collector, allow?: Uint32Array): void {
  const { floats } = simd;
  // The last group may continue beyond the range, where nothing is offered.
  const last = 4 * (start + 16 * Math.ceil((end - start) / 16));
  for (let at = 4 * start; (at = simd.findAtLeast(at, last, collector.threshold)) < last; at += 64) {
    const groupEnd = Math.min(at / 4 + 16, end);
    for (let token = at / 4; token < groupEnd; token++) {
      const logit = floats[token]!;
      // NaN is above nothing.
      if (logit > collector.threshold && allows(allow, token)) collector.add(token, withinRange(logit));
    }
  }
}

/** For temperature 0: the first of the largest. */
export function createLargestCollector(): Collector {
  let candidates!: Candidates;
  return {
    threshold: -Infinity,
    reset(target) {
      candidates = target;
      this.threshold = -Infinity;
    },
    learn(sample) {
      this.threshold = justBelow(maxOf(sample));
    },
    isComplete: () => true,
    add(token, logit) {
      candidates.size = 0;
      append(candidates, token, logit);
      this.threshold = logit;
    },
  };
}

export function append(candidates: Candidates, token: number, logit: number): void {
  candidates.tokens[candidates.size] = token;
  candidates.logits[candidates.size++] = logit;
}

/**
 * Writes exp(logit − largest) of each candidate, and sums weight × distance below the largest. That moment over the sum of
 * weights, plus its logarithm, is the entropy.
 */
export function weightsAndMoment(
  weights: Float64Array,
  candidates: Candidates,
  largest: number,
): { readonly total: number; readonly moment: number } {
  const { logits, size } = candidates;
  const total = weightsInto(weights, candidates, largest);
  let moment = 0;
  for (let i = 0; i < size; i++) moment += weights[i]! * (largest - logits[i]!);
  return { total, moment };
}
