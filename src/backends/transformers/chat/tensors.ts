import type { Tensor } from '@huggingface/transformers';
import { float16ToFloat32Into } from '../../../core/math/float16.ts';

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

/** The logits of each row's last position, `[rows × vocabulary]`; a view where they are all there is. */
export function lastLogits({ type, dims, data }: Tensor): Float32Array {
  const [rows = 1, positions = 1, size = 0] = dims;
  if (positions === 1 && type === 'float32') return data as Float32Array;
  const last = new Float32Array(rows * size);
  for (let row = 0; row < rows; row++) {
    const start = ((row + 1) * positions - 1) * size;
    const part = (data as Float32Array).subarray(start, start + size);
    const into = last.subarray(row * size, (row + 1) * size);
    if (type === 'float16') float16ToFloat32Into(into, bitsOf(part));
    else into.set(part);
  }
  return last;
}

/** Newer engines have a type of their own for half precision. */
function bitsOf(values: ArrayBufferView & { readonly length: number }): Uint16Array {
  return new Uint16Array(values.buffer, values.byteOffset, values.length);
}

/** The package's names of outputs, as inputs of the next run. */
export function toPastName(present: string): string {
  return present.replace(/^present_/, 'past_').replace(/^present/, 'past_key_values');
}
