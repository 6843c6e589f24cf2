import { assertArray, assertCount, assertObject } from '../assert-values.ts';

/** @throws TypeError for anything but a number that is one */
export function assertNumber(label: string, value: unknown): asserts value is number {
  if (typeof value !== 'number' || Number.isNaN(value)) {
    throw new TypeError(`${label}: expected a number, got ${String(value)}`);
  }
}

/** @throws RangeError for anything but a token id of the vocabulary */
export function assertToken(label: string, token: number, vocabularySize: number): void {
  if (!Number.isInteger(token) || token < 0 || token >= vocabularySize) {
    throw new RangeError(`${label}: expected a token id from 0 to ${vocabularySize - 1}, got ${token}`);
  }
}

/** @throws TypeError or RangeError for anything but candidates */
export function assertCandidates(candidates: {
  readonly tokens: Int32Array;
  readonly logits: Float64Array;
  readonly size: number;
}): void {
  assertObject('candidates', candidates);
  const { tokens, logits, size } = candidates;
  assertArray('candidates.tokens', tokens, Int32Array);
  assertArray('candidates.logits', logits, Float64Array);
  assertCount('candidates.size', size, { max: Math.min(tokens.length, logits.length) });
}
