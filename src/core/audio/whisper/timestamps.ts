import { assertCount, assertObject } from '../../assert-values.ts';
/** Seconds from one timestamp token to the next: an encoder position covers two frames of 10 ms. */
export const secondsPerPosition = 0.02;

/** Frames of the spectrogram, of 10 ms, under one position of the encoder. */
export const framesPerPosition = 2;

/** The special tokens of a vocabulary that the timestamp rules need; text tokens are below `endOfText`. */
export interface TimestampVocabulary {
  /** `<|endoftext|>` */
  readonly endOfText: number;
  /** `<|0.00|>`; every later token is a later time. */
  readonly timestampBegin: number;
}

/**
 * The time of a timestamp token, from the start of the window.
 *
 * @returns seconds
 *
 * @example
 * ```ts
 * toSeconds(50_414, { timestampBegin: 50_364 }); // 1
 * ```
 */
export function toSeconds(token: number, vocabulary: Pick<TimestampVocabulary, 'timestampBegin'>): number {
  assertCount('token', token);
  assertObject('vocabulary', vocabulary);
  const { timestampBegin } = vocabulary;
  assertCount('timestampBegin', timestampBegin);
  return positionsToSeconds(token - timestampBegin);
}

/** Positions of the encoder. */
export const positionsPerSecond = 50;

/** Encoder positions as seconds, without the rounding error of 0.02 in binary. */
export function positionsToSeconds(positions: number): number {
  return positions / positionsPerSecond;
}
