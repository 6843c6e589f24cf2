import { assertNames } from '../assert-names.ts';
import { assertCount } from '../assert-values.ts';
import type { ParameterValues } from '../parameters/descriptor.ts';
import { assertNumber, valueScratch, weightScratch } from './scratch.ts';
import { keepFrom, maxOf, positionOf, weightsInto, type Candidates } from './candidates.ts';
import { defineSampler } from './definition.ts';
import { massTolerance } from './keep-mass.ts';
import { keepTopK, sortedLargest } from './top-k.ts';

export const mirostatSampler = defineSampler({
  parameters: {
    mirostatMode: {
      type: 'int',
      min: 0,
      max: 2,
      default: 0,
      step: 1,
      section: 'advanced',
      description:
        '0 disabled, 1 Mirostat v1, 2 Mirostat v2; when enabled it replaces the truncating samplers.',
    },
    mirostatTau: {
      type: 'float',
      min: 0,
      max: 10,
      default: 5,
      step: 0.1,
      section: 'advanced',
      description: 'Mirostat target entropy in bits; lower gives more focused output.',
    },
    mirostatEta: {
      type: 'float',
      min: 0,
      max: 1,
      default: 0.1,
      step: 0.01,
      section: 'advanced',
      description: 'Mirostat learning rate.',
    },
  },
  neutral: { mirostatMode: 0 },
  actsWithMirostat: true,
  create({ mirostatMode, mirostatTau, mirostatEta }, { vocabularySize }) {
    const { apply, update } = createMirostat({ mirostatMode, mirostatTau, mirostatEta, vocabularySize });
    return { apply, learn: update };
  },
});

/** Mirostat of one sequence: it steers the surprise of the drawn tokens towards a target. */
export interface Mirostat {
  /** The surprise allowed at the next token, in bits; 2 τ at first. */
  readonly mu: number;
  /** Drops the candidates that would surprise too much. Mutates `candidates`; at least one stays. */
  apply(candidates: Candidates): Candidates;
  /** Learns from the token that was drawn of these candidates. */
  update(candidates: Candidates, token: number): void;
}

/** Options of `createMirostat`, as `createSampler` takes them, of a mode that is 1 or 2. */
export interface MirostatOptions extends ParameterValues<typeof mirostatSampler.parameters> {
  /** Tokens of the whole vocabulary; version 1 reckons with it. */
  readonly vocabularySize: number;
}

/** The Zipf exponent is estimated from this many of the most likely tokens. */
const estimatedTokens = 100;

/**
 * Mirostat: version 1 estimates a Zipf exponent and from it a top k, version 2 bounds the surprise itself. Apply it last, after
 * the temperature, draw, and pass it the drawn token.
 *
 * Basu et al., Mirostat: A Neural Text Decoding Algorithm that Directly Controls Perplexity, arXiv:2007.14966.
 *
 * @throws TypeError or RangeError for an option out of its domain
 *
 * @example
 * ```ts
 * const options = { mirostatMode: 2, mirostatTau: 5, mirostatEta: 0.1, vocabularySize: 3 };
 * const mirostat = createMirostat(options);
 * const candidates = mirostat.apply(applyTemperature(candidatesFrom([0.5, 2, 1]), 0.8));
 * const token = drawToken(candidates, createRng(42).next());
 * mirostat.update(candidates, token);
 * mirostat.mu; // 10.45
 * ```
 */
export function createMirostat(options: MirostatOptions): Mirostat {
  assertNames('createMirostat', options, ['mirostatMode', 'mirostatTau', 'mirostatEta', 'vocabularySize']);
  const { mirostatMode: mode, mirostatTau: tau, mirostatEta: eta, vocabularySize } = options;
  if (mode !== 1 && mode !== 2) throw new RangeError(`mirostatMode: expected 1 or 2, got ${String(mode)}`);
  assertNumber('mirostatTau', tau);
  assertNumber('mirostatEta', eta);
  if (mode === 1 || vocabularySize !== undefined) assertCount('vocabularySize', vocabularySize, { min: 1 });
  let mu = 2 * tau;
  return {
    get mu() {
      return mu;
    },
    apply(candidates) {
      return mode === 1 ? keepByZipf(candidates, mu, vocabularySize) : keepBySurprise(candidates, mu);
    },
    update(candidates, token) {
      mu -= eta * (surpriseOf(candidates, token) - tau);
    },
  };
}

function keepBySurprise(candidates: Candidates, mu: number): Candidates {
  const { size } = candidates;
  if (size <= 1) return candidates;
  const largest = maxOf(candidates);
  const total = weightsInto(weightScratch(size), candidates, largest);
  const lowest = largest + Math.log(total) - mu * Math.LN2 - massTolerance;
  return lowest > largest ? keepTopK(candidates, 1) : keepFrom(candidates, lowest);
}

function keepByZipf(candidates: Candidates, mu: number, vocabularySize: number): Candidates {
  if (candidates.size <= 1) return candidates;
  const exponent = zipfExponent(candidates);
  const k = zipfRank(exponent, mu, vocabularySize);
  return keepTopK(candidates, k >= 1 ? Math.floor(Math.min(k, candidates.size)) : 1);
}

/** Least squares of ln(pᵢ / pᵢ₊₁) over ln((i + 2) / (i + 1)), i from 0. */
function zipfExponent(candidates: Candidates): number {
  const sorted = valueScratch(candidates.size);
  const size = sortedLargest(sorted, candidates, estimatedTokens);
  let products = 0;
  let squares = 0;
  for (let i = 0; i < size - 1; i++) {
    const rankRatio = Math.log((i + 2) / (i + 1));
    products += rankRatio * (sorted[i]! - sorted[i + 1]!);
    squares += rankRatio * rankRatio;
  }
  return products / squares;
}

/** k = (ε 2^μ / (1 − N^−ε))^(1/s) with ε = s − 1; its limit at ε = 0 is 2^μ / ln N. */
function zipfRank(exponent: number, mu: number, vocabularySize: number): number {
  const excess = exponent - 1;
  const logarithm = Math.log(vocabularySize);
  const factor =
    Math.abs(excess * logarithm) < 1e-9 ? 1 / logarithm : excess / -Math.expm1(-excess * logarithm);
  return (factor * 2 ** mu) ** (1 / exponent);
}

function surpriseOf(candidates: Candidates, token: number): number {
  const position = positionOf(candidates, token);
  if (position < 0) throw new RangeError(`token: expected one of the candidates, got ${token}`);
  const largest = maxOf(candidates);
  const total = weightsInto(weightScratch(candidates.size), candidates, largest);
  return (Math.log(total) + largest - candidates.logits[position]!) / Math.LN2;
}
