import { isPast, isPastKeyOrValue, isPastState, presentName } from '../../../core/onnx/cache-names.ts';
import { rowLengthInputs } from '../../../core/onnx/rewrites/row-lengths.ts';
import { fieldError, type InferenceError } from '../../../errors.ts';

/** Types of keys, values and logits. */
export type FloatType = 'float32' | 'float16';

/** One past/present pair of a decoder: keys or values of one layer. */
export interface KeyValueEntry {
  readonly past: string;
  readonly present: string;
  readonly type: FloatType;
  readonly heads: number;
  readonly headSize: number;
}

/** State that a layer keeps of a whole sequence, in a fixed number of elements: the end of a convolution, a state space. */
export interface StateEntry {
  readonly past: string;
  readonly present: string;
  readonly type: FloatType;
  /** Dimensions of one row. */
  readonly dims: readonly number[];
}

/** Inputs and outputs of a decoder's graph, by their roles. */
export interface DecoderLayout {
  readonly entries: readonly KeyValueEntry[];
  readonly states: readonly StateEntry[];
  readonly inputs: ReadonlySet<string>;
  readonly outputs: ReadonlySet<string>;
  readonly vocabularySize: number;
  /** Size of the embeddings in place of tokens; `undefined` where tokens are fed. */
  readonly hiddenSize: number | undefined;
  /** Layers and size of the embeddings that each of them has of its own; `undefined` where there are none. */
  readonly layerDims: readonly [layers: number, size: number] | undefined;
  /** Whether positions are those of frames, rows and columns, `[3 × rows × count]`. */
  readonly hasGridPositions: boolean;
  readonly logitsType: FloatType;
}

interface Signature {
  readonly name: string;
  readonly type: string;
  readonly dims: readonly (number | string)[];
}

/** Inputs and outputs of a graph, as its file says or a session of it. */
export interface GraphSides {
  readonly inputs: readonly Signature[];
  readonly outputs: readonly Signature[];
}

/** Embeddings of a token for each layer, `[rows, count, layers, size]`: Gemma 3n and 4. */
export const layerEmbeddingsInput = 'per_layer_inputs';

const stepInputs: ReadonlySet<string> = new Set([
  ...Object.values(rowLengthInputs),
  'input_ids',
  'inputs_embeds',
  layerEmbeddingsInput,
  'attention_mask',
  'position_ids',
  'last_positions',
  'num_logits_to_keep',
  'use_cache_branch',
]);

/** @throws InferenceError `invalid_request` when the graph is not a decoder in the hub's layout */
export function readDecoderLayout(sides: GraphSides): DecoderLayout {
  const entries = sides.inputs.filter(isPastKeyOrValue).map(readEntry);
  const states = sides.inputs.filter(isPastState).map(readState);
  const inputs = new Set(sides.inputs.map(({ name }) => name));
  const outputs = new Set(sides.outputs.map(({ name }) => name));
  const embeddings = sides.inputs.find(({ name }) => name === 'inputs_embeds');
  const mask = inputs.has(rowLengthInputs.lengths) ? rowLengthInputs.lengths : 'attention_mask';
  for (const name of [embeddings ? 'inputs_embeds' : 'input_ids', mask])
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
  if (type !== 'float32' && type !== 'float16') throw notADecoder(`logits are ${type}`);
  const layerEmbeddings = sides.inputs.find(({ name }) => name === layerEmbeddingsInput);
  const positions = sides.inputs.find(({ name }) => name === 'position_ids');
  return {
    entries,
    states,
    inputs,
    outputs,
    vocabularySize,
    hiddenSize: embeddings && readHiddenSize(embeddings),
    layerDims: layerEmbeddings && readLayerDims(layerEmbeddings),
    hasGridPositions: positions?.dims.length === 3,
    logitsType: type,
  };
}

function readHiddenSize({ name, type, dims }: Signature): number {
  const size = dims.at(-1);
  if (typeof size === 'number' && type === 'float32') return size;
  throw notADecoder(
    `${name} is ${type} [${dims.join(', ')}], expected float32 [batch, tokens, 576] or alike`,
  );
}

function readLayerDims({ name, type, dims }: Signature): readonly [number, number] {
  const [, , layers, size] = dims;
  if (typeof layers === 'number' && typeof size === 'number' && type === 'float32') return [layers, size];
  throw notADecoder(
    `${name} is ${type} [${dims.join(', ')}], expected float32 [batch, tokens, 30, 256] or alike`,
  );
}

/** Numbers of all layers for a token. */
export function layerSizeOf({ layerDims }: DecoderLayout): number | undefined {
  return layerDims && layerDims[0] * layerDims[1];
}

function readEntry({ name, type, dims }: Signature): KeyValueEntry {
  const [, heads, , headSize] = dims;
  if (
    typeof heads !== 'number' ||
    typeof headSize !== 'number' ||
    (type !== 'float32' && type !== 'float16')
  ) {
    throw notADecoder(
      `${name} is ${type} [${dims.join(', ')}], expected float [batch, 8, past, 64] or alike`,
    );
  }
  return { past: name, present: presentName(name), type, heads, headSize };
}

function readState({ name, type, dims: [, ...dims] }: Signature): StateEntry {
  const isFixed = dims.length > 0 && dims.every((size) => typeof size === 'number');
  if (!isFixed || (type !== 'float32' && type !== 'float16')) {
    throw notADecoder(
      `${name} is ${type} [batch, ${dims.join(', ')}], expected float [batch, 1024, 3] or alike`,
    );
  }
  return { past: name, present: presentName(name), type, dims };
}

function notADecoder(reason: string): InferenceError {
  return fieldError('source', `the graph is not a decoder with a key-value cache: ${reason}`);
}
