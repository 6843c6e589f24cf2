import { pool, type PoolingMode } from '../../../core/embedding/pooling.ts';
import { float16ToFloat32Into } from '../../../core/math/float16.ts';
import { InferenceError } from '../../../errors.ts';
import type { Session, Tensor, TensorSignature } from '../../../runtime/contract.ts';
import type { TokenSequence } from './token-sequence.ts';

/** A text encoder over a `Session`: token ids in, one vector for each sequence out. */
export interface Encoder {
  /** Numbers of one vector. */
  readonly dimensions: number;
  /** Runs the graph once, all sequences padded to the longest. */
  encode(sequences: readonly TokenSequence[]): Promise<Float32Array[]>;
  release(): Promise<void>;
}

export interface EncoderOptions {
  /**
   * `undefined` where the graph's own `sentence_embedding` is wanted if it has one, else the last token of a decoder,
   * the only one that has read the whole text, and the mean of other models.
   */
  readonly pooling: PoolingMode | undefined;
  /** Whether the tokens of a prompt are pooled with those of the text. */
  readonly poolsPrompt: boolean;
}

const tokenOutputs = ['last_hidden_state', 'token_embeddings'];
const pooledOutput = 'sentence_embedding';

/** What a decoder goes on from; where it embeds a whole text, nothing. */
const pastPrefix = 'past_key_values.';

/**
 * Makes an encoder of a graph with `input_ids`, `attention_mask` and, if it has them, `token_type_ids`, `position_ids`
 * and the `past_key_values` of a decoder → `last_hidden_state`, `token_embeddings` or `sentence_embedding`, in float32
 * or float16.
 *
 * @throws InferenceError `invalid_request` when the graph is no such encoder
 */
export async function createEncoder(session: Session, options: EncoderOptions): Promise<Encoder> {
  const past = session.inputs.filter(({ name }) => name.startsWith(pastPrefix));
  const inputs = readTokenInputs(session.inputs.filter((input) => !past.includes(input)));
  const usual = past.length > 0 ? 'last-token' : 'mean';
  const { output, pooling } = chooseOutput(session, options.pooling, usual);

  const encode = async (sequences: readonly TokenSequence[]): Promise<Float32Array[]> => {
    const rows = sequences.length;
    const length = sequences.reduce((longest, { ids }) => Math.max(longest, ids.length), 0);
    const feeds: Record<string, Tensor> = {};
    for (const [name, type] of inputs) {
      feeds[name] = createInput(type, sequences, length, (ids, at) => {
        if (name === 'input_ids') return ids[at]!;
        if (name === 'position_ids') return at;
        return name === 'attention_mask' ? 1 : 0;
      });
    }
    for (const input of past) feeds[input.name] = emptyPast(input, rows);
    const result = (await session.run(feeds, [output]))[output]!;
    const values = toFloat32(result);
    const size = values.length / (pooling ? rows * length : rows);
    return sequences.map(({ ids, promptTokens }, row) => {
      if (!pooling) return values.slice(row * size, (row + 1) * size);
      const start = options.poolsPrompt ? 0 : promptTokens;
      return pool(values, { row, length, size }, { start, end: ids.length }, pooling);
    });
  };

  const [probe] = await encode([{ ids: [0, 0], promptTokens: 0 }]);
  return { dimensions: probe!.length, encode, release: () => session.release() };
}

type TokenType = 'int64' | 'int32';

const tokenInputs = new Set(['input_ids', 'attention_mask', 'token_type_ids', 'position_ids']);

function readTokenInputs(signatures: readonly TensorSignature[]): ReadonlyMap<string, TokenType> {
  const inputs = new Map<string, TokenType>();
  for (const { name, type, dims } of signatures) {
    if (!tokenInputs.has(name)) throw notAnEncoder(`unknown input ${name}`);
    if (type !== 'int64' && type !== 'int32')
      throw notAnEncoder(`${name} is ${type}, expected int64 or int32`);
    if (dims.some((size) => typeof size === 'number' && size > 0))
      throw notAnEncoder(`${name} has the shape [${dims.join(', ')}], expected one that is not fixed`);
    inputs.set(name, type);
  }
  for (const name of ['input_ids', 'attention_mask']) {
    if (!inputs.has(name)) throw notAnEncoder(`no input ${name}`);
  }
  return inputs;
}

/** `[rows × heads × 0 × head size]` */
function emptyPast({ name, type, dims }: TensorSignature, rows: number): Tensor {
  const [, heads, , headSize] = dims;
  if (dims.length !== 4 || typeof heads !== 'number' || typeof headSize !== 'number')
    throw notAnEncoder(`${name} has the shape [${dims.join(', ')}], expected [rows, heads, tokens, size]`);
  if (type !== 'float32' && type !== 'float16')
    throw notAnEncoder(`${name} is ${type}, expected float32 or float16`);
  const data = type === 'float16' ? new Uint16Array(0) : new Float32Array(0);
  return { type, dims: [rows, heads, 0, headSize], data };
}

function chooseOutput(
  session: Session,
  pooling: PoolingMode | undefined,
  usual: PoolingMode,
): { output: string; pooling: PoolingMode | undefined } {
  const names = session.outputs.map(({ name }) => name);
  if (pooling === undefined && names.includes(pooledOutput))
    return { output: pooledOutput, pooling: undefined };
  const output = tokenOutputs.find((name) => names.includes(name));
  if (output) return { output, pooling: pooling ?? usual };
  throw notAnEncoder(`none of the outputs ${tokenOutputs.join(', ')}, only ${names.join(', ')}`);
}

/** `[sequences × length]`, 0 where a sequence has ended. */
function createInput(
  type: TokenType,
  sequences: readonly TokenSequence[],
  length: number,
  valueAt: (ids: readonly number[], at: number) => number,
): Tensor {
  const count = sequences.length * length;
  const data = type === 'int64' ? new BigInt64Array(count) : new Int32Array(count);
  // The low words of little-endian int64 numbers, so that none has to be made a BigInt.
  const words = new Int32Array(data.buffer);
  const step = type === 'int64' ? 2 : 1;
  for (const [row, { ids }] of sequences.entries()) {
    for (let at = 0; at < ids.length; at++) words[step * (row * length + at)] = valueAt(ids, at);
  }
  return { type, dims: [sequences.length, length], data };
}

function toFloat32({ type, data }: Tensor): Float32Array {
  if (type === 'float16') return float16ToFloat32Into(new Float32Array(data.length), data as Uint16Array);
  if (type === 'float32') return data as Float32Array;
  throw notAnEncoder(`vectors of ${type}, expected float32 or float16`);
}

function notAnEncoder(reason: string): InferenceError {
  return new InferenceError('invalid_request', `source: the graph is no text encoder: ${reason}`, {
    param: 'source',
  });
}
