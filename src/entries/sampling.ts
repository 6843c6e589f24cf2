export {
  candidatesFrom,
  candidatesInto,
  createCandidates,
  probabilities,
  type Candidates,
} from '../core/sampling/candidates.ts';
export { drawToken } from '../core/sampling/draw.ts';
export { applyDry, type DryOptions } from '../core/sampling/dry.ts';
export {
  createBreakerFinder,
  type BreakerVocabulary,
  type DryBreakers,
} from '../core/sampling/dry-breakers.ts';
export { applyDynamicTemperature, type DynamicTemperatureOptions } from '../core/sampling/temperature.ts';
export {
  logProbabilitiesOf,
  type TokenLogProbabilities,
  type TokenLogProbability,
} from '../core/sampling/log-probabilities.ts';
export { applyLogitBias } from '../core/sampling/logit-bias.ts';
export { applyMinP } from '../core/sampling/min-p.ts';
export { createMirostat, type Mirostat, type MirostatOptions } from '../core/sampling/mirostat.ts';
export { applyPenalties, type Penalties } from '../core/sampling/penalties.ts';
export { createRng, type Rng } from '../core/sampling/rng.ts';
export {
  createSampler,
  type Sampler,
  type SamplerOptions,
  type SamplerParameters,
} from '../core/sampling/sampler.ts';
export { applyTailFree } from '../core/sampling/tail-free.ts';
export { applyTemperature } from '../core/sampling/temperature.ts';
export { penaltyWindow } from '../core/sampling/penalties.ts';
export { applyTopK } from '../core/sampling/top-k.ts';
export { applyTopNSigma } from '../core/sampling/top-n-sigma.ts';
export { applyTopP } from '../core/sampling/top-p.ts';
export { applyTypicalP } from '../core/sampling/typical.ts';
export { applyXtc, type XtcOptions } from '../core/sampling/xtc.ts';
export { samplingParameters, type SamplingParameters } from '../core/sampling/samplers.ts';
