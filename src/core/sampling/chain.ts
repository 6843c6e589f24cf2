import type { SamplingParameters } from '../parameters/sampling.ts';
import { candidatesInto, createCandidates, largestOf, withinRange, type Candidates } from './candidates.ts';
import { createLargestCollector, createMinPCollector, createTopKCollector } from './collectors.ts';
import { drawFromAll } from './draw-from-all.ts';
import { penalizeRepetition, type DryBreakers } from './dry.ts';
import { applyDynamicTemperature } from './dynamic-temperature.ts';
import { applyTopPToLargest, floorOf, largestInto, type LargestLogits } from './largest-logits.ts';
import { applyLogitBias, withBias } from './logit-bias.ts';
import { applyMinP } from './min-p.ts';
import { penalized, penalizeWindow, type Penalties } from './penalties.ts';
import type { Rng } from './rng.ts';
import { scan, type Adjustments, type Collector } from './scan.ts';
import { createScratch, weightScratch } from './scratch.ts';
import { applyTailFree } from './tail-free.ts';
import { createTokenHistory } from './token-history.ts';
import { createTokenWindow, penaltyWindow, type TokenWindow } from './token-window.ts';
import { applyTopK, keepAbove } from './top-k.ts';
import { applyTopNSigma } from './top-n-sigma.ts';
import { applyTopP } from './top-p.ts';
import { applyTypicalP } from './typical.ts';
import { applyXtc } from './xtc.ts';

export interface ChainParameters extends SamplingParameters {
  /** Finite biases of distinct tokens, ascending. */
  readonly logitBias: readonly (readonly [token: number, bias: number])[];
  readonly dryBreakers: DryBreakers;
}

/** All samplers of one sequence but the draw and Mirostat. */
export interface Chain {
  /**
   * The tokens that are left to draw from.
   *
   * @param isPenalized asked for tokens that penalties or DRY would change; false spares one
   * @returns a buffer shared by all chains of the thread, to be used before any of them runs again
   */
  run(logits: Float32Array, allow?: Uint32Array, isPenalized?: (token: number) => boolean): Candidates;
  /**
   * As `run`, from the largest logits alone; for parameters that don't need all (`needsAllLogits`).
   *
   * @returns nothing where these logits don't suffice; then nothing has changed
   */
  runLargest(largest: LargestLogits, vocabularySize: number): Candidates | undefined;
  /** Whether no sampler drops any token, so that `drawFromAll` may be used. */
  readonly keepsAll: boolean;
  /** A token of all; −1 where it takes `run` and a draw from what that gives. */
  drawFromAll(logits: Float32Array, uniform: number): number;
  /** Makes a token part of the history that the penalties look at. */
  accept(token: number): void;
}

const candidateScratch = createScratch(createCandidates);
const largestScratch = createScratch(createCandidates);
const orderScratch = createScratch((length) => new Float64Array(length));

/**
 * Composes the samplers: bias, penalties, DRY, top nσ, top k, tail-free, typical, top p, min p, XTC, temperature; with
 * Mirostat on only bias, penalties and temperature. At temperature 0 the most likely token after DRY is all there is.
 *
 * @param rng asked once at each step where XTC is on
 * @param isWord the tokens that the repeat penalty acts on
 */
export function createChain(
  parameters: ChainParameters,
  rng: Rng,
  isWord: (token: number) => boolean = () => true,
): Chain {
  const { logitBias, temperature, topK, topP, minP, typicalP, tfsZ, topNSigma, mirostatMode } = parameters;
  const window = createTokenWindow();
  const history = createTokenHistory();
  const dry = {
    multiplier: parameters.dryMultiplier,
    base: parameters.dryBase,
    allowedLength: parameters.dryAllowedLength,
    penaltyLastN: parameters.dryPenaltyLastN,
    breakers: parameters.dryBreakers,
  };
  const xtc = { probability: parameters.xtcProbability, threshold: parameters.xtcThreshold };
  const range = mirostatMode === 0 && temperature > 0 ? parameters.dynatempRange : 0;
  const dynamicTemperature = { temperature, range, exponent: parameters.dynatempExponent };
  const collector = collectorFor(parameters);
  const withoutRepeat = { ...parameters, repeatPenalty: 1 };
  const penaltiesOf = (token: number): Penalties => (isWord(token) ? parameters : withoutRepeat);
  const adjustments = createAdjustments(logitBias.length + penaltyWindow);

  const gather: Chain['run'] = (logits, allow, isPenalized) => {
    const candidates = candidateScratch(logits.length);
    if (collector !== undefined && allow === undefined && isPenalized === undefined) {
      adjust(adjustments, logits, { logitBias, window, penaltiesOf });
      collector.reset(candidates);
      scan(logits, adjustments, collector);
      if (collector.isComplete()) return candidates;
    }
    candidatesInto(candidates, logits, allow);
    applyLogitBias(candidates, logitBias);
    if (penalizes(parameters)) penalizeWindow(candidates, window, penaltiesOf, isPenalized);
    if (usesDry(parameters)) penalizeRepetition(candidates, history.tokens, history.size, dry, isPenalized);
    return candidates;
  };

  const finish = (candidates: Candidates, share: number): Candidates => {
    if (mirostatMode === 0 && temperature > 0) {
      applyTopNSigma(candidates, topNSigma);
      applyTopK(candidates, topK);
      applyTailFree(candidates, tfsZ);
      applyTypicalP(candidates, typicalP);
      applyTopP(candidates, share);
      applyMinP(candidates, minP);
      if (xtc.probability > 0) applyXtc(candidates, xtc, rng.next());
    }
    return applyDynamicTemperature(candidates, dynamicTemperature);
  };

  return {
    keepsAll: keepsAll(parameters),
    run: (logits, allow, isPenalized) => finish(gather(logits, allow, isPenalized), topP),
    runLargest(largest, vocabularySize) {
      const { length } = largest.tokens;
      const candidates = candidateScratch(length);
      if (!largestInto(candidates, largest, orderScratch(length))) return undefined;
      penalizeWindow(candidates, window, penaltiesOf);
      if (usesDry(parameters)) penalizeRepetition(candidates, history.tokens, history.size, dry);
      const floor = floorOf(largest, vocabularySize);
      if (temperature > 0 && topK === 0 && topP < 1) {
        const lowered = penalizes(parameters) ? window.size : 0;
        const options = { largest, floor, topP, vocabularySize, lowered };
        const weights = weightScratch(length);
        if (!applyTopPToLargest(candidates, largestScratch(length), weights, options)) return undefined;
        return finish(candidates, 1);
      }
      // All tokens above the floor are among the largest, also after penalties, which only lower logits.
      keepAbove(candidates, floor, 0);
      if (candidates.size === 0) return undefined;
      if (temperature > 0 && floor > -Infinity) {
        if (candidates.size < topK) return undefined;
        if (topK === 0 && largestOf(candidates) + Math.log(minP) <= floor) return undefined;
      }
      return finish(candidates, topP);
    },
    drawFromAll(logits, uniform) {
      adjust(adjustments, logits, { logitBias, window, penaltiesOf });
      return drawFromAll(logits, adjustments, temperature, uniform);
    },
    accept(token) {
      window.accept(token);
      if (usesDry(parameters)) history.accept(token);
    },
  };
}

function usesDry({ dryMultiplier, mirostatMode }: SamplingParameters): boolean {
  return dryMultiplier > 0 && mirostatMode === 0;
}

function penalizes({ repeatPenalty, frequencyPenalty, presencePenalty }: SamplingParameters): boolean {
  return repeatPenalty !== 1 || frequencyPenalty !== 0 || presencePenalty !== 0;
}

/** Whether penalties and a fixed temperature are all that acts. */
function keepsAll(parameters: SamplingParameters): boolean {
  const { temperature, topK, topP, minP, typicalP, tfsZ, topNSigma, mirostatMode } = parameters;
  const truncates = topK > 0 || topP < 1 || minP > 0 || typicalP < 1 || tfsZ < 1 || topNSigma > 0;
  const { dryMultiplier, xtcProbability, dynatempRange } = parameters;
  const isSpecial = mirostatMode !== 0 || dryMultiplier > 0 || xtcProbability > 0 || dynatempRange > 0;
  return temperature > 0 && !truncates && !isSpecial;
}

/** Reading all logits into candidates can be saved where the first active sampler is one of a bound on the logit. */
function collectorFor(parameters: SamplingParameters): Collector | undefined {
  const { temperature, topK, topP, minP, typicalP, tfsZ, topNSigma, mirostatMode } = parameters;
  if (usesDry(parameters)) return undefined;
  if (temperature === 0) return createLargestCollector();
  if (mirostatMode !== 0 || topNSigma > 0) return undefined;
  if (topK > 0) return createTopKCollector(topK);
  return minP > 0 && topP === 1 && typicalP === 1 && tfsZ === 1 ? createMinPCollector(minP) : undefined;
}

function createAdjustments(capacity: number): Adjustments {
  return { tokens: new Int32Array(capacity), logits: new Float64Array(capacity), size: 0 };
}

interface AdjustmentSources extends Pick<ChainParameters, 'logitBias'> {
  readonly window: TokenWindow;
  readonly penaltiesOf: (token: number) => Penalties;
}

/** Works out the logits of all tokens that have a bias or a penalty, merging the two ascending lists. */
function adjust(
  adjustments: Adjustments,
  logits: Float32Array,
  { logitBias, window, penaltiesOf }: AdjustmentSources,
): void {
  let size = 0;
  for (let b = 0, w = 0; b < logitBias.length || w < window.size; size++) {
    const biased = b < logitBias.length ? logitBias[b]![0] : Infinity;
    const recent = w < window.size ? window.tokens[w]! : Infinity;
    const token = Math.min(biased, recent);
    const drawable = logits[token]! > -Infinity;
    let logit = withinRange(logits[token]!);
    if (token === biased) logit = withBias(logit, logitBias[b++]![1]);
    if (token === recent) logit = penalized(logit, window.counts[w++]!, penaltiesOf(token));
    adjustments.tokens[size] = token;
    adjustments.logits[size] = drawable ? logit : -Infinity;
  }
  adjustments.size = size;
}
