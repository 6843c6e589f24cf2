export {
  candidatesFrom,
  candidatesInto,
  createCandidates,
  probabilities,
  type Candidates,
} from '../core/sampling/candidates.ts';
export { drawToken } from '../core/sampling/draw.ts';
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
export { penaltyWindow } from '../core/sampling/token-window.ts';
export { applyTopK } from '../core/sampling/top-k.ts';
export { applyTopP } from '../core/sampling/top-p.ts';
export { applyTypicalP } from '../core/sampling/typical.ts';
export { samplingParameters, type SamplingParameters } from '../core/parameters/sampling.ts';
