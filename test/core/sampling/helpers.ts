import fc from 'fast-check';
import { candidatesFrom, probabilities, type Candidates } from '../../../src/core/sampling/candidates.ts';
import type { Distribution } from './reference.ts';

export const tokensOf = ({ tokens, size }: Candidates): number[] => [...tokens.subarray(0, size)];

/** Most likely first, as the tables of expectations have them. */
export const descendingProbabilities = (candidates: Candidates): number[] =>
  [...probabilities(candidates)].sort((a, b) => b - a);

export const fromProbabilities = (values: readonly number[]): Candidates =>
  candidatesFrom(values, { as: 'probabilities' });

export const distributionOf = (logits: ArrayLike<number>): Distribution =>
  Array.from(logits, (logit, token) => [token, logit] as const).filter(([, logit]) => logit > -Infinity);

/** Sixteenths, so that there are many equals and sums of logits are exact. */
export const tiedLogits = fc.array(
  fc.integer({ min: -160, max: 160 }).map((sixteenths) => sixteenths / 16),
  { minLength: 1, maxLength: 300 },
);

/** Few equals; far enough apart that rounding decides nothing. */
export const smoothLogits = fc.array(
  fc.integer({ min: -(2 ** 22), max: 2 ** 22 }).map((steps) => steps / 2 ** 18),
  { minLength: 1, maxLength: 300 },
);

export const anyLogits = fc.oneof(tiedLogits, smoothLogits);

/** All that a broken model may give. */
export const wildLogits = fc.array(fc.float(), { minLength: 1, maxLength: 100 });

export const unit = fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100);
