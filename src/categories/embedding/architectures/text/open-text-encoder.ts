import type { GraphRunOptions, Session, Tensor, TensorSignature } from '../../../../contracts/graph.ts';
import { filled } from '../../../../runtime/tensors.ts';
import type { ModelSpec } from '../../../../contracts/model.ts';
import type { EncodingModel, SessionBackend } from '../../../../contracts/sessions.ts';
import { pool, type PoolingMode } from '../../../../core/embedding/pooling.ts';
import { sourceError } from '../../../../folder/model-files.ts';
import { locateModel } from '../../../../folder/source.ts';
import { chooseTextLength } from '../../../../folder/text-length.ts';
import { createTextTokenizer } from '../../../../folder/tokenizer.ts';
import { defaultBatchLimits } from '../../../../runtime/encoder/sequence-batcher.ts';
import { maxLengthOf, readTokenInputs, toFloat32 } from '../../../../runtime/encoder/token-inputs.ts';
import type { Encoder, TokenSequence } from '../../encoder.ts';
import type { EmbeddingSettings } from '../../settings.ts';
import { openEmbeddingFolder } from './embedding-folder.ts';
import { releaseOnFailure } from '../../../../concurrency/release-on-failure.ts';
import { readGraph, wrongGraph } from '../../../../runtime/wrong-graph.ts';

export interface EncoderOptions {
  /** `undefined`: the graph's `sentence_embedding`, else a decoder's last token, which has read the whole text, else the mean. */
  readonly pooling: PoolingMode | undefined;
  /** Pool a prompt's tokens with the text's tokens. */
  readonly poolsPrompt: boolean;
}

const tokenOutputs = ['last_hidden_state', 'token_embeddings'];
const pooledOutput = 'sentence_embedding';
const notAnEncoder = wrongGraph('a text encoder');

/** Prefix of past inputs; a decoder that embeds a whole text gets an empty past. */
const pastPrefix = 'past_key_values.';

/**
 * Inputs: `input_ids`, `attention_mask`, optionally `token_type_ids`, `position_ids` and a decoder's `past_key_values`; outputs:
 * `last_hidden_state`, `token_embeddings` or `sentence_embedding`, in float32 or float16.
 */
export async function createGraphEncoder(
  session: Session,
  options: EncoderOptions,
): Promise<Pick<Encoder, 'dimensions' | 'encode' | 'release'>> {
  const past = session.inputs.filter(({ name }) => name.startsWith(pastPrefix));
  const toFeeds = readGraph(notAnEncoder, () =>
    readTokenInputs(session.inputs.filter((input) => !past.includes(input))),
  );
  const defaultPooling = past.length > 0 ? 'last-token' : 'mean';
  const { output, pooling } = chooseOutput(session, options.pooling, defaultPooling);

  const encode = async (
    sequences: readonly TokenSequence[],
    runOptions?: GraphRunOptions,
  ): Promise<Float32Array[]> => {
    const rows = sequences.length;
    const length = maxLengthOf(sequences);
    const feeds = toFeeds(sequences, length);
    for (const input of past) feeds[input.name] = emptyPast(input, rows);
    const result = (await session.run(feeds, [output], runOptions))[output]!;
    const values = readGraph(notAnEncoder, () => toFloat32(result));
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
  return filled(type, [rows, heads, 0, headSize]);
}

function chooseOutput(
  session: Session,
  pooling: PoolingMode | undefined,
  defaultPooling: PoolingMode,
): { output: string; pooling: PoolingMode | undefined } {
  const names = session.outputs.map(({ name }) => name);
  if (pooling === undefined && names.includes(pooledOutput))
    return { output: pooledOutput, pooling: undefined };
  const output = tokenOutputs.find((name) => names.includes(name));
  if (output) return { output, pooling: pooling ?? defaultPooling };
  throw notAnEncoder(`none of the outputs ${tokenOutputs.join(', ')}, only ${names.join(', ')}`);
}

export async function openTextEncoder(
  spec: ModelSpec<EmbeddingSettings>,
  sessions: SessionBackend,
): Promise<Encoder> {
  if (sessions.openTextEncoder) return openEngineEncoder(spec, await sessions.openTextEncoder(spec));
  const { dtype } = spec;
  const { hasGraphs } = sessions;
  const folder = await openEmbeddingFolder(locateModel(spec.source), { dtype, hasGraphs });
  const contextLength = chooseTextLength(spec.contextLength, folder.contextLength);
  const tokenizer = createTextTokenizer(folder);
  return releaseOnFailure(async (own) => {
    const session = own(await sessions.openSession({ graph: folder.graph }, spec));
    const isPooled = session.outputs.some(({ name }) => name === 'sentence_embedding');
    const pooling = spec.pooling ?? (isPooled ? undefined : folder.pooling);
    if (folder.furtherModules.length > 0 && (pooling || !isPooled)) {
      const reason = `the model's modules ${folder.furtherModules.join(', ')} are not in its graph, which has no output sentence_embedding`;
      throw sourceError(reason);
    }
    return {
      ...(await createGraphEncoder(session, { pooling, poolsPrompt: folder.poolsPrompt })),
      tokenizer,
      vocabularySize: vocabularySizeOf(folder),
      contextLength,
      matryoshkaDimensions: folder.matryoshkaDimensions,
      prompts: folder.prompts,
      defaultPrompt: folder.defaultPrompt,
      created: folder.created,
    };
  });
}

async function openEngineEncoder(spec: ModelSpec<EmbeddingSettings>, model: EncodingModel): Promise<Encoder> {
  const { pooling, maxBatchTokens: maxTokens = defaultBatchLimits.maxTokens } = spec;
  const { tokenizer, folder } = model;
  return releaseOnFailure(async (own) => {
    own(model);
    const contextLength = chooseTextLength(spec.contextLength, model.contextLength);
    const encoder = await model.openEncoder({ contextLength, maxTokens, pooling });
    const vocabularySize = vocabularySizeOf(folder);
    return { ...encoder, tokenizer, vocabularySize, contextLength, created: folder.created };
  });
}

function vocabularySizeOf({ config }: { config: Readonly<Record<string, unknown>> }): number | undefined {
  const size = config['vocab_size'];
  return typeof size === 'number' ? size : undefined;
}
