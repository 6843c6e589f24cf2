import type { LargestLogits } from '../../../../core/sampling/largest-logits.ts';
import type { Decoder, DecoderCache, RemoteLogits } from '../../../../contracts/decoder.ts';

export interface Continuation {
  /** Tokens that it may choose yet. */
  readonly remaining: number;
  next(logits: Float32Array): number | undefined;
  /** Whether `nextOfLargest` may be asked first. */
  readonly takesLargest?: boolean;
  /** As `next`, from the largest logits alone. */
  nextOfLargest?(largest: LargestLogits): number | undefined;
}

/** Tokens of a step for each row of a cache, as `Decoder.forward` takes them. */
export interface Step {
  readonly tokens: Int32Array;
  readonly count: number;
  readonly counts?: readonly number[];
}

/**
 * Feeds tokens to a cache. Where a decoder on another device picks the largest logits and any of the sequences may choose by
 * those, only they come to this process.
 */
export async function forwardStep(
  decoder: Decoder,
  cache: DecoderCache,
  { tokens, count, counts }: Step,
  continuations: readonly Continuation[],
): Promise<StepLogits> {
  const { vocabularySize } = decoder;
  const takesLargest =
    continuations.length === 0 || continuations.some((continuation) => continuation.takesLargest);
  if (decoder.forwardLargest && takesLargest)
    return new StepLogits(await decoder.forwardLargest(cache, tokens, count, counts), vocabularySize);
  return new StepLogits(await decoder.forward(cache, tokens, count, counts), vocabularySize);
}

/** Logits of each row's last token, here or on another device. */
export class StepLogits {
  readonly #logits: Float32Array | RemoteLogits;
  readonly #vocabularySize: number;

  constructor(logits: Float32Array | RemoteLogits, vocabularySize: number) {
    this.#logits = logits;
    this.#vocabularySize = vocabularySize;
  }

  /** @returns as `Continuation.next` */
  async choose(continuation: Continuation, row: number): Promise<number | undefined> {
    const logits = this.#logits;
    if (logits instanceof Float32Array) {
      const size = this.#vocabularySize;
      return continuation.next(logits.subarray(row * size, (row + 1) * size));
    }
    const token = continuation.takesLargest ? continuation.nextOfLargest!(logits.largest(row)) : -1;
    return token === -1 ? continuation.next(await logits.all(row)) : token;
  }
}
