import type { ParameterTable, ParameterValues } from '../parameters/descriptor.ts';
import type { Candidates } from './candidates.ts';
import type { LogitChanges } from './changes.ts';
import type { DryBreakers } from './dry-breakers.ts';
import type { LargestStep } from './largest-logits.ts';
import type { Rng } from './rng.ts';
import type { Collector } from './scan.ts';

/** One sequence, as its samplers see it. */
export interface SamplerContext {
  readonly rng: Rng;
  readonly vocabularySize: number;
  /** Mirostat is on. */
  readonly isSteered: boolean;
  /** The tokens that the repeat penalty acts on. */
  isWord(token: number): boolean;
  readonly dryBreakers: DryBreakers;
}

/** A sampler with the parameters of one sequence. Only `apply` is required; the rest saves work or keeps a state. */
export interface SamplerStep {
  /** @param isPenalized false for tokens that must not be penalised */
  apply(candidates: Candidates, isPenalized?: (token: number) => boolean): Candidates;
  /** Everything that it does, if it changes a few logits and drops no candidate. */
  readonly changes?: LogitChanges;
  /** Gathers the candidates that it would keep, and perhaps some more, from all logits. */
  readonly collector?: Collector;
  /** Maximum number of tokens that it lowers; undefined for a sampler that raises logits or drops candidates. */
  lowered?(): number;
  /** `apply` to the largest logits alone, after samplers that lower some of them. */
  readonly onLargest?: LargestStep;
  /** Takes a token into the history. */
  accept?(token: number): void;
  /** Number of last tokens of the history that it reads. */
  readonly memory?: number;
  /** Learns from the token that was drawn of these candidates. */
  learn?(candidates: Candidates, token: number): void;
}

/** A value, or the least and greatest of several. */
export type Neutral = number | readonly [least: number, most: number];

/** One sampler; its place in the list `samplers` is its place in the chain. */
export interface SamplerDefinition<T extends ParameterTable = ParameterTable> {
  readonly parameters: T;
  /** The parameters that switch it on, each with the value or the range that doesn't; without any it always acts. */
  readonly neutral?: { readonly [Name in keyof T]?: Neutral };
  /** Whether it acts at temperature 0, where most samplers can't change which token is the likeliest. */
  readonly actsWhenGreedy?: boolean;
  /** Whether it acts while Mirostat is on. */
  readonly actsWithMirostat?: boolean;
  create(parameters: ParameterValues<T>, context: SamplerContext): SamplerStep;
}

/** Infers the types of a definition from its table. */
export function defineSampler<const T extends ParameterTable>(
  definition: SamplerDefinition<T>,
): SamplerDefinition<T> {
  return definition;
}
