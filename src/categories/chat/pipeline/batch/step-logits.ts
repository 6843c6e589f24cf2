import type { LargestLogits } from '../../../../core/sampling/largest-logits.ts';
import type { Decoder, DecoderCache, RemoteLogits } from '../../../../contracts/decoder.ts';

export interface Continuation {
  /** Max tokens still to choose. */
  readonly remaining: number;
  next(logits: Float32Array): number | undefined;
  /** `nextOfLargest` may be tried first. */
  readonly takesLargest?: boolean;
  /** Like `next`, from the largest logits only. */
  nextOfLargest?(largest: LargestLogits): number | undefined;
}

/** Tokens per row, as `Decoder.forward` takes them. */
export interface Step {
  readonly tokens: Int32Array;
  readonly count: number;
  readonly counts?: readonly number[];
}

/** Logits of each row's last token, local or on a device. */
export type StepLogits = Float32Array | RemoteLogits;

/** Copies only the largest logits from a device, if any sequence can use them. */
export async function forwardStep(
  decoder: Decoder,
  cache: DecoderCache,
  { tokens, count, counts }: Step,
  continuations: readonly Continuation[],
): Promise<StepLogits> {
  if (decoder.forwardLargest && (continuations.length === 0 || continuations.some((one) => one.takesLargest)))
    return decoder.forwardLargest(cache, tokens, count, counts);
  return decoder.forward(cache, tokens, count, counts);
}

/** @returns as `Continuation.next` */
export async function chooseToken(
  logits: StepLogits,
  { vocabularySize: size }: Pick<Decoder, 'vocabularySize'>,
  continuation: Continuation,
  row: number,
): Promise<number | undefined> {
  if (logits instanceof Float32Array) return continuation.next(rowOf(logits, row, size));
  const token = continuation.takesLargest ? continuation.nextOfLargest!(logits.largest(row)) : -1;
  return token === -1 ? continuation.next(await logits.all(row)) : token;
}

export function rowOf(logits: Float32Array, row: number, size: number): Float32Array {
  return logits.subarray(row * size, (row + 1) * size);
}
