import { pool, type PoolingMode } from '../../../../core/embedding/pooling.ts';
import { fieldError, type InferenceError } from '../../../../errors.ts';
import type { GraphRunOptions, Session, Tensor, TensorSignature } from '../../../../contracts/graph.ts';
import { longestOf, readTokenInputs, toFloat32 } from '../../../../runtime/encoder/token-inputs.ts';
import type { Encoder, TokenSequence } from '../../encoder.ts';

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

/** Inputs of the past begin with this; a decoder that embeds a whole text gets an empty one. */
const pastPrefix = 'past_key_values.';

/**
 * Makes an encoder of a graph with `input_ids`, `attention_mask` and, if it has them, `token_type_ids`, `position_ids` and the
 * `past_key_values` of a decoder → `last_hidden_state`, `token_embeddings` or `sentence_embedding`, in float32 or float16.
 */
export async function createGraphEncoder(
  session: Session,
  options: EncoderOptions,
): Promise<Pick<Encoder, 'dimensions' | 'encode' | 'release'>> {
  const past = session.inputs.filter(({ name }) => name.startsWith(pastPrefix));
  const toFeeds = encoderFault(() =>
    readTokenInputs(session.inputs.filter((input) => !past.includes(input))),
  );
  const usual = past.length > 0 ? 'last-token' : 'mean';
  const { output, pooling } = chooseOutput(session, options.pooling, usual);

  const encode = async (
    sequences: readonly TokenSequence[],
    runOptions?: GraphRunOptions,
  ): Promise<Float32Array[]> => {
    const rows = sequences.length;
    const length = longestOf(sequences);
    const feeds = toFeeds(sequences, length);
    for (const input of past) feeds[input.name] = emptyPast(input, rows);
    const result = (await session.run(feeds, [output], runOptions))[output]!;
    const values = encoderFault(() => toFloat32(result));
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

/** Says of which file the graph is that has the fault. */
function encoderFault<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof RangeError ? notAnEncoder(error.message) : error;
  }
}

function notAnEncoder(reason: string): InferenceError {
  return fieldError('source', `the graph is not a text encoder: ${reason}`);
}
