import { float16ToFloat32Into } from '../../core/math/float16.ts';
import type { Tensor, TensorSignature } from '../../contracts/graph.ts';
import type { EncodedText } from '../../contracts/text-model.ts';

type TokenType = 'int64' | 'int32';

export type ToFeeds = (sequences: readonly EncodedText[], length: number) => Record<string, Tensor>;

const tokenInputs = new Set(['input_ids', 'attention_mask', 'token_type_ids', 'position_ids']);

export function readTokenInputs(signatures: readonly TensorSignature[]): ToFeeds {
  const inputs = new Map<string, TokenType>();
  for (const { name, type, dims } of signatures) {
    if (!tokenInputs.has(name)) throw new RangeError(`unknown input ${name}`);
    if (type !== 'int64' && type !== 'int32')
      throw new RangeError(`${name} is ${type}, expected int64 or int32`);
    if (dims.some((size) => typeof size === 'number' && size > 0))
      throw new RangeError(`${name} has the shape [${dims.join(', ')}], expected one that is not fixed`);
    inputs.set(name, type);
  }
  for (const name of ['input_ids', 'attention_mask']) {
    if (!inputs.has(name)) throw new RangeError(`no input ${name}`);
  }
  return (sequences, length) => {
    const feeds: Record<string, Tensor> = {};
    for (const [name, type] of inputs) {
      feeds[name] = createInput(type, sequences, length, ({ ids, typeIds }, at) => {
        if (name === 'input_ids') return ids[at]!;
        if (name === 'position_ids') return at;
        return name === 'attention_mask' ? 1 : (typeIds?.[at] ?? 0);
      });
    }
    return feeds;
  };
}

export function maxLengthOf(sequences: readonly EncodedText[]): number {
  return sequences.reduce((longest, { ids }) => Math.max(longest, ids.length), 0);
}

/** The numbers of a float32 or float16 tensor. */
export function toFloat32({ type, data }: Tensor): Float32Array {
  if (type === 'float16') return float16ToFloat32Into(new Float32Array(data.length), data as Uint16Array);
  if (type === 'float32') return data as Float32Array;
  throw new RangeError(`outputs of ${type}, expected float32 or float16`);
}

/** `[sequences × length]`, 0 after the end of a sequence. */
function createInput(
  type: TokenType,
  sequences: readonly EncodedText[],
  length: number,
  valueAt: (sequence: EncodedText, at: number) => number,
): Tensor {
  const count = sequences.length * length;
  const data = type === 'int64' ? new BigInt64Array(count) : new Int32Array(count);
  // The low words of little-endian int64 numbers, which avoids BigInts.
  const words = new Int32Array(data.buffer);
  const step = type === 'int64' ? 2 : 1;
  for (const [row, sequence] of sequences.entries()) {
    for (let at = 0; at < sequence.ids.length; at++)
      words[step * (row * length + at)] = valueAt(sequence, at);
  }
  return { type, dims: [sequences.length, length], data };
}
