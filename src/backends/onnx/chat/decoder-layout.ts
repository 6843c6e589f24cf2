import {
  isPast,
  isPastKeyOrValue,
  isPastState,
  presentName,
  embeddingsInput,
  layerEmbeddingsInput,
} from '../../../core/onnx/cache-names.ts';
import type { ModelSignature, ValueSignature } from '../../../core/onnx/model-signature.ts';
import { rowLengthInputs } from '../../../core/onnx/rewrites/row-lengths.ts';
import { sourceError } from '../../../folder/model-files.ts';
import { wrongGraph } from '../../../runtime/wrong-graph.ts';

type Json = Readonly<Record<string, unknown>>;

/** Element types of keys, values and logits. */
export type FloatType = 'float32' | 'float16';

/**
 * One past/present pair of a decoder, which carries data of each row to the next step: keys or values of a layer,
 * `[heads, slots, headSize]`; or a state of fixed size, a single slot for all tokens: the end of a convolution, a state space.
 */
export interface CacheEntry {
  readonly past: string;
  readonly present: string;
  readonly type: FloatType;
  readonly heads: number;
  readonly headSize: number;
  /** Dimensions of a row of a state. */
  readonly dims?: readonly number[];
}

/** Inputs and outputs of a graph, from its file or a session. */
export type GraphSides = Pick<ModelSignature, 'inputs' | 'outputs'>;

const notADecoder = wrongGraph('a decoder with a key-value cache');
const floatTypes: readonly FloatType[] = ['float32', 'float16'];

const stepInputs: ReadonlySet<string> = new Set([
  ...Object.values(rowLengthInputs),
  'input_ids',
  embeddingsInput,
  layerEmbeddingsInput,
  'attention_mask',
  'position_ids',
  'last_positions',
  'num_logits_to_keep',
  'use_cache_branch',
]);

/** Inputs and outputs of a decoder's graph, by role. */
export type DecoderLayout = ReturnType<typeof readDecoderLayout>;

/** @throws InferenceError `invalid_request` if the graph isn't a decoder in Hugging Face's layout */
export function readDecoderLayout(sides: GraphSides) {
  const entries = sides.inputs.filter(isPastKeyOrValue).map(readEntry);
  const states = sides.inputs.filter(isPastState).map(readState);
  const inputs = new Set(sides.inputs.map(({ name }) => name));
  const outputs = new Set(sides.outputs.map(({ name }) => name));
  const embeddings = sides.inputs.find(({ name }) => name === embeddingsInput);
  const mask = inputs.has(rowLengthInputs.lengths) ? rowLengthInputs.lengths : 'attention_mask';
  for (const name of [embeddings ? embeddingsInput : 'input_ids', mask])
    if (!inputs.has(name)) throw notADecoder(`no input ${name}`);
  for (const input of sides.inputs) {
    if (!stepInputs.has(input.name) && !isPast(input)) throw notADecoder(`unknown input ${input.name}`);
  }
  for (const name of ['logits', ...[...entries, ...states].map(({ present }) => present)]) {
    if (!outputs.has(name)) throw notADecoder(`no output ${name}`);
  }
  if (entries.length === 0) throw notADecoder('no inputs past_key_values.*');
  const { type, dims } = sides.outputs.find(({ name }) => name === 'logits')!;
  const vocabularySize = dims.at(-1);
  if (typeof vocabularySize !== 'number') throw notADecoder('logits have no fixed vocabulary size');
  if (!isFloat(type)) throw notADecoder(`logits are ${type}`);
  const size =
    embeddings && readSizes(embeddings, [2], { example: '[batch, tokens, 576]', types: ['float32'] });
  const layerEmbeddings = sides.inputs.find(({ name }) => name === layerEmbeddingsInput);
  const layers =
    layerEmbeddings &&
    readSizes(layerEmbeddings, [2, 3], { example: '[batch, tokens, 30, 256]', types: ['float32'] });
  const positions = sides.inputs.find(({ name }) => name === 'position_ids');
  return {
    /** Keys and values. */
    entries,
    states,
    inputs,
    outputs,
    /** Properties that a decoder publishes. */
    shape: {
      vocabularySize,
      /** Size of the embeddings that replace tokens; `undefined` if tokens are fed. */
      hiddenSize: size?.sizes[0],
      /** Numbers of all layers per token. */
      layerSize: layers?.sizes.reduce((product, one) => product * one),
      /** Whether positions are frames, rows and columns, `[3 × rows × count]`. */
      hasGridPositions: positions?.dims.length === 3,
    },
    /** Number of layers, and size of the per-layer embeddings; `undefined` without any. */
    layerDims: layers?.sizes,
    logitsType: type,
  };
}

/** Rejects the config of a different graph. Vocabularies may be padded, and layers may share a cache or have none. */
export function assertSizes({ text_config: text, ...config }: Json, { inputs, outputs }: GraphSides): void {
  const caches = inputs.filter(isPastKeyOrValue);
  if (caches.length === 0) return;
  const heads = Math.max(...caches.map(({ dims }) => Number(dims[1])));
  const layers = 1 + Math.max(...inputs.filter(isPast).map(({ name }) => Number(/\d+/.exec(name))));
  const vocabulary = Number(outputs.find(({ name }) => name === 'logits')?.dims.at(-1) || NaN);
  const hidden = Number(inputs.find(({ name }) => name === embeddingsInput)?.dims.at(-1));
  const rules = [
    ['vocab_size', Math.max(1, vocabulary - 1023), vocabulary],
    ['num_hidden_layers', layers, 2 * layers],
    ['num_attention_heads', heads, 128 * heads],
    ['hidden_size', hidden, hidden],
  ] as const;
  for (const [name, least, most] of rules) {
    const stated = { ...config, ...(text as Json | undefined) }[name];
    if (typeof stated !== 'number' || !(stated < least || stated > most)) continue;
    const expected = least === most ? most : `${least} to ${most}`;
    throw sourceError(`config.json has ${name} ${stated}, expected ${expected}, as the graph has it`);
  }
}

function readEntry(input: ValueSignature): CacheEntry {
  const { type, sizes } = readSizes(input, [1, 3], { example: '[batch, 8, past, 64]' });
  const [heads = 0, headSize = 0] = sizes;
  return { past: input.name, present: presentName(input.name), type, heads, headSize };
}

function readState(input: ValueSignature): CacheEntry {
  const axes = input.dims.slice(1).map((_, axis) => axis + 1);
  const { type, sizes } = readSizes(input, axes, { example: '[batch, 1024, 3]' });
  const names = { past: input.name, present: presentName(input.name) };
  const headSize = sizes.reduce((product, size) => product * size);
  return { ...names, type, heads: 1, headSize, dims: sizes };
}

/** Reads sizes that an input must fix. */
function readSizes(
  { name, type, dims }: ValueSignature,
  axes: readonly number[],
  { example, types = floatTypes }: { example: string; types?: readonly FloatType[] },
): { readonly type: FloatType; readonly sizes: readonly number[] } {
  const sizes = axes.map((axis) => dims[axis]).filter((size) => typeof size === 'number');
  if (axes.length > 0 && sizes.length === axes.length && isFloat(type) && types.includes(type))
    return { type, sizes };
  const expected = `${types.length === 1 ? types[0] : 'float'} ${example} or alike`;
  throw notADecoder(`${name} is ${type} [${dims.join(', ')}], expected ${expected}`);
}

function isFloat(type: string): type is FloatType {
  return floatTypes.includes(type as FloatType);
}
