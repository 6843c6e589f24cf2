import type { DynamicCache, Tensor } from '@huggingface/transformers';
import { createLastLogits } from '../../../runtime/last-logits.ts';

type TensorClass = typeof Tensor;

/** @returns `[rows, count]` */
export function toIds(TensorOf: TensorClass, tokens: ArrayLike<number>, rows: number): Tensor {
  const data = new BigInt64Array(tokens.length);
  for (let at = 0; at < tokens.length; at++) data[at] = BigInt(tokens[at]!);
  return new TensorOf('int64', data, [rows, tokens.length / rows]);
}

/** @returns ones, `[rows, count]` */
export function ones(TensorOf: TensorClass, rows: number, count: number): Tensor {
  return new TensorOf('int64', new BigInt64Array(rows * count).fill(1n), [rows, count]);
}

/** The logits of each row's last position, `[rows × vocabulary]`; a view if there are no further positions. */
export function lastLogits(logits: Tensor): Float32Array {
  const [rows = 1, positions = 1, vocabularySize = 0] = logits.dims;
  return createLastLogits()(valuesOf(logits), { rows, positions, vocabularySize });
}

/** The logits of every position, `[rows × positions × vocabulary]`; a view if in single precision. */
export function allLogits(logits: Tensor): Float32Array {
  const [rows = 1, positions = 1, vocabularySize = 0] = logits.dims;
  return createLastLogits()(valuesOf(logits), { rows: rows * positions, positions: 1, vocabularySize });
}

function valuesOf({ type, data }: Tensor): Float32Array | Uint16Array {
  const { buffer, byteOffset, length } = data as Float32Array;
  // Newer engines have a separate type for half precision.
  return type === 'float16' ? new Uint16Array(buffer, byteOffset, length) : (data as Float32Array);
}

/** Keeps the states from a run for the next one. */
export function keepStates(
  state: { past: DynamicCache | undefined },
  outputs: Readonly<Record<string, Tensor>>,
  CacheOf: typeof DynamicCache,
): void {
  const before = state.past as unknown as Readonly<Record<string, Tensor>> | undefined;
  const entries: Record<string, Tensor> = {};
  for (const [name, tensor] of Object.entries(outputs)) {
    if (!name.startsWith('present')) continue;
    // The package's input names.
    const past = name.replace(/^present_/, 'past_').replace(/^present/, 'past_key_values');
    // The keys and values of an encoder are computed once; later outputs with their names are empty.
    entries[past] = (name.includes('encoder') ? before?.[past] : undefined) ?? tensor;
  }
  if (state.past) state.past.update(entries);
  else state.past = new CacheOf(entries) as DynamicCache;
}
