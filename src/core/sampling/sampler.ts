import { assertNames } from '../assert-names.ts';
import { assertFunction, assertMap } from '../assert-values.ts';
import { resolveParameters } from '../parameters/descriptor.ts';
import { assertNumber, assertToken } from './scratch.ts';
import { assertMask } from './candidates.ts';
import { createChain } from './chain.ts';
import { draw } from './draw.ts';
import type { DryBreakers } from './dry-breakers.ts';
import type { LargestLogits } from './largest-logits.ts';
import { logitBiasBounds } from './logit-bias.ts';
import { createRng } from './rng.ts';
import { samplingParameters, type SamplingParameters } from './samplers.ts';

/** Options of `createSampler`: every sampling parameter, and a bias for single tokens. */
export interface SamplerParameters extends Partial<SamplingParameters> {
  /** Token id → added to its logit, from −100 to 100. */
  readonly logitBias?: ReadonlyMap<number, number> | undefined;
  /** Sequences of tokens that a repetition doesn't reach across for DRY; default empty. */
  readonly dryBreakers?: DryBreakers | undefined;
}

/** The context of a sampler. */
export interface SamplerOptions {
  /** Length of the arrays of logits. */
  readonly vocabularySize: number;
  /** A generator of `createRng`; same seed, parameters, history and logits give the same tokens. */
  readonly seed: number;
  /** The tokens that `repeatPenalty` acts on; default all. */
  readonly isWord?: ((token: number) => boolean) | undefined;
}

/** Chooses the tokens of one sequence. */
export interface Sampler {
  /** Number of last tokens it reads; older ones need not be accepted. Infinite if DRY reads all. */
  readonly memory: number;
  /**
   * Chooses the next token. Moves the random numbers and Mirostat on, but doesn't `accept` the token.
   *
   * @param logits `vocabularySize` of them, not mutated. NaN counts as −∞
   * @param allow the tokens that may be chosen at this step, one bit each: bit `t % 32` of word `t / 32`; masked tokens are
   * dropped before any sampler runs. Default all
   * @param isPenalized called for tokens that penalties or DRY would change; false spares a token. Default all
   * @throws RangeError for a wrong length, or when no token is left: every logit −∞ or masked
   */
  sample(logits: Float32Array, allow?: Uint32Array, isPenalized?: (token: number) => boolean): number;
  /** Whether it needs every logit at every step; otherwise `sampleLargest` may be asked first. */
  readonly needsAllLogits: boolean;
  /**
   * Chooses the same token as `sample` from the largest logits alone, if these decide it.
   *
   * @returns −1 if all logits are needed; then nothing has changed
   */
  sampleLargest(largest: LargestLogits): number;
  /**
   * Appends a token to the history of the penalties: call it for each chosen token, and before for tokens of the prompt that
   * should count.
   *
   * @throws RangeError for a token outside of the vocabulary
   */
  accept(token: number): void;
}

const parameterNames = [...Object.keys(samplingParameters), 'logitBias', 'dryBreakers'];

/**
 * The whole chain for one sequence: bias, penalties (last `repeatLastN` accepted tokens), DRY, top nσ, top k, tail-free, typical,
 * top p, min p, XTC, temperature or dynamic temperature, draw. With Mirostat: bias, penalties, temperature,
 * Mirostat. `temperature` 0 always takes the most likely token after bias, penalties and DRY, the lower id of equals,
 * whatever the settings of the remaining samplers.
 *
 * `sample` creates no arrays or objects once the first call has made room, unless DRY is on; that room, about 70 bytes for
 * each token of the vocabulary, is shared by all samplers of a thread.
 *
 * @param parameters omitted ones have their defaults
 * @throws TypeError or RangeError, beginning with the name of a parameter that doesn't exist or is out of its bounds
 *
 * @example
 * ```ts
 * const sampler = createSampler({ temperature: 0, repeatPenalty: 1 }, { vocabularySize: 3, seed: 42 });
 * sampler.accept(0);
 * sampler.sample(new Float32Array([0.5, 2, 1])); // 1
 * ```
 */
export function createSampler(parameters: SamplerParameters, options: SamplerOptions): Sampler {
  assertNames('createSampler', parameters, parameterNames as (keyof SamplerParameters)[]);
  assertNames('createSampler', options, ['vocabularySize', 'seed', 'isWord']);
  const { vocabularySize, seed, isWord = () => true } = options;
  if (!Number.isInteger(vocabularySize) || vocabularySize < 1)
    throw new RangeError(`vocabularySize: expected a positive integer, got ${vocabularySize}`);
  assertFunction('isWord', isWord);
  for (const name of ['logitBias', 'dryBreakers'] as const)
    if (parameters[name] !== undefined) assertMap(name, parameters[name]);
  const resolved = resolveParameters(samplingParameters, parameters);
  return openSampler({ ...parameters, ...resolved }, { vocabularySize, seed, isWord });
}

/** `createSampler` for parameters that are all there and checked; their object may have more. */
export function openSampler(
  parameters: SamplingParameters & Pick<SamplerParameters, 'logitBias' | 'dryBreakers'>,
  { vocabularySize, seed, isWord }: SamplerOptions & { readonly isWord: (token: number) => boolean },
): Sampler {
  const { logitBias = new Map(), dryBreakers = new Map() } = parameters;
  const bias = logitBias.size > 0 ? sortedBias(logitBias, vocabularySize) : [];
  const rng = createRng(seed);
  const chain = createChain(parameters, bias, { rng, vocabularySize, isWord, dryBreakers });
  const { needsAllLogits, memory } = chain;
  const isGreedy = parameters.temperature === 0;
  return {
    memory,
    sample(logits, allow, isPenalized) {
      if (logits.length !== vocabularySize)
        throw new RangeError(`logits: expected ${vocabularySize}, got ${logits.length}`);
      if (allow !== undefined) assertMask(allow, vocabularySize);
      const candidates = chain.run(logits, allow, isPenalized);
      if (candidates.size === 0)
        throw new RangeError('logits: expected at least one allowed token above -Infinity');
      if (isGreedy) return candidates.tokens[0]!;
      const token = draw(candidates, rng.next());
      chain.learn(candidates, token);
      return token;
    },
    needsAllLogits,
    sampleLargest(largest) {
      const candidates = needsAllLogits ? undefined : chain.runLargest(largest);
      if (!candidates) return -1;
      return isGreedy ? candidates.tokens[0]! : draw(candidates, rng.next());
    },
    accept(token) {
      assertToken('token', token, vocabularySize);
      chain.accept(token);
    },
  };
}

function sortedBias(logitBias: ReadonlyMap<number, number>, vocabularySize: number): [number, number][] {
  const { min, max } = logitBiasBounds;
  for (const [token, bias] of logitBias) {
    assertToken('logitBias', token, vocabularySize);
    assertNumber(`logitBias[${token}]`, bias);
    if (bias < min || bias > max)
      throw new RangeError(`logitBias[${token}]: expected a value from ${min} to ${max}, got ${bias}`);
  }
  return [...logitBias].sort(([a], [b]) => a - b);
}
