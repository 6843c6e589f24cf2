import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { float16ToFloat32Into } from '../../../core/math/float16.ts';
import { InferenceError } from '../../../errors.ts';
import type { Session, Tensor } from '../../../runtime/contract.ts';
import { extendGraph, onnxElementType, type GraphExtension } from '../../../runtime/graph-extension.ts';
import { createOnnxSession, type OnnxSessionOptions } from '../../../runtime/onnx.ts';
import { KeyValueCache, type KeyValueEntry } from './key-value-cache.ts';
import { StepFeedsFactory } from './step-feeds.ts';
import { StoragePool } from './storage-pool.ts';

/** A decoder-only language model over a `Session`, one forward pass at a time. */
export interface Decoder {
  readonly vocabularySize: number;
  /** Whether rows of different lengths may share a cache. */
  readonly ragged: boolean;
  createCache(): KeyValueCache;
  /**
   * Feeds `count` new tokens to every row of `cache` and appends their keys and values to it.
   *
   * @param tokens `[rows × count]` token ids
   * @returns `[rows × vocabularySize]` logits of the last position; valid until the next call
   */
  forward(cache: KeyValueCache, tokens: Int32Array, count: number): Promise<Float32Array>;
  release(): Promise<void>;
}

/** What unused buffers of caches may hold. */
const maxIdleCacheBytes = 64 * 2 ** 20;
const pastPrefix = 'past_key_values.';
const stepInputs: ReadonlySet<string> = new Set([
  'input_ids',
  'attention_mask',
  'position_ids',
  'num_logits_to_keep',
  'use_cache_branch',
]);
const lastLogits = 'slashv1.last_logits';
const onePosition: Tensor = { type: 'int64', dims: [], data: BigInt64Array.of(1n) };
const newSlots = (present: string) => `slashv1.${present}.new`;

/**
 * Loads a decoder in the hub's ONNX layout: `input_ids`, `attention_mask`, `past_key_values.*` → `logits`,
 * `present.*`; with or without `position_ids` and `num_logits_to_keep`; also the older merged export with
 * `use_cache_branch`.
 *
 * @param path of the `.onnx` file
 * @throws InferenceError `invalid_request` when the graph is no such decoder
 */
export async function loadDecoder(path: string, options: OnnxSessionOptions = {}): Promise<Decoder> {
  const model = await readFile(path);
  // GroupQueryAttention counts the used slots itself and wants no unused ones between past and new.
  const counted = model.includes('GroupQueryAttention');
  const plain = await createOnnxSession(path, options);
  const extension = describeExtension(plain);
  if (counted || !extension) return createDecoder(plain, { ragged: !counted });
  await plain.release();
  const extended = extendGraph(model, extension);
  return createDecoder(await createOnnxSession(extended, { ...options, weightsFolder: dirname(path) }));
}

/**
 * Outputs that spare copies: only the last position's logits, only the new slots of `present.*`.
 */
function describeExtension(session: Session): GraphExtension | undefined {
  const entries = readEntries(session);
  const logits = session.outputs.find(({ name }) => name === 'logits');
  const first = entries[0];
  if (!first || !logits) return undefined;
  const elementType = (type: string) =>
    type === 'float16' ? onnxElementType.float16 : onnxElementType.float32;
  return {
    constants: {
      'slashv1.minus_one': [-1],
      'slashv1.end': [2n ** 63n - 1n],
      'slashv1.axis_1': [1],
      'slashv1.axis_2': [2],
    },
    nodes: [
      {
        operator: 'Slice',
        inputs: ['logits', 'slashv1.minus_one', 'slashv1.end', 'slashv1.axis_1'],
        output: lastLogits,
      },
      { operator: 'Shape', inputs: [first.past], output: 'slashv1.past_shape' },
      { operator: 'Gather', inputs: ['slashv1.past_shape', 'slashv1.axis_2'], output: 'slashv1.past_length' },
      ...entries.map(({ present }) => ({
        operator: 'Slice',
        inputs: [present, 'slashv1.past_length', 'slashv1.end', 'slashv1.axis_2'],
        output: newSlots(present),
      })),
    ],
    outputs: [
      { name: lastLogits, elementType: elementType(logits.type) },
      ...entries.map(({ present, type }) => ({ name: newSlots(present), elementType: elementType(type) })),
    ],
  };
}

function readEntries(session: Session): KeyValueEntry[] {
  return session.inputs
    .filter(({ name }) => name.startsWith(pastPrefix))
    .map(({ name, type, dims }) => {
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
      return { past: name, present: name.replace('past_key_values', 'present'), type, heads, headSize };
    });
}

/** @internal */
export function createDecoder(session: Session, options: { ragged?: boolean } = {}): Decoder {
  const entries = readEntries(session);
  const names = new Set(session.inputs.map(({ name }) => name));
  const outputs = new Set(session.outputs.map(({ name }) => name));
  for (const name of ['input_ids', 'attention_mask'])
    if (!names.has(name)) throw notADecoder(`no input ${name}`);
  for (const name of names) {
    if (!stepInputs.has(name) && !name.startsWith(pastPrefix)) throw notADecoder(`unknown input ${name}`);
  }
  for (const name of ['logits', ...entries.map(({ present }) => present)]) {
    if (!outputs.has(name)) throw notADecoder(`no output ${name}`);
  }
  if (entries.length === 0) throw notADecoder('no inputs past_key_values.*');
  const logits = session.outputs.find(({ name }) => name === 'logits')!;
  const vocabularySize = logits.dims.at(-1);
  if (typeof vocabularySize !== 'number') throw notADecoder('logits have no fixed vocabulary size');

  const hasPositions = names.has('position_ids');
  const hasCacheBranch = names.has('use_cache_branch');
  const countsLogits = names.has('num_logits_to_keep');
  const ragged = hasPositions && !hasCacheBranch && options.ragged !== false;
  const slicesLogits = outputs.has(lastLogits);
  const slicesSlots = ragged && outputs.has(newSlots(entries[0]!.present));
  const logitsName = slicesLogits ? lastLogits : 'logits';
  const slotNames = entries.map(({ present }) => (slicesSlots ? newSlots(present) : present));
  const fetches = [logitsName, ...slotNames];
  const stepFeeds = new StepFeedsFactory();
  const pool = new StoragePool({ maxIdleBytes: maxIdleCacheBytes });
  let halfLogits = new Float32Array(0);

  return {
    vocabularySize,
    ragged,
    createCache: () => new KeyValueCache(entries, { rows: 1, spare: ragged, pool }),
    async forward(cache, tokens, count) {
      const { rows, capacity } = cache;
      const { inputIds, positionIds, attentionMask } = stepFeeds.create(cache, tokens, count);
      const feeds: Record<string, Tensor> = {
        ...cache.tensors,
        input_ids: inputIds,
        attention_mask: attentionMask,
      };
      if (hasPositions) feeds['position_ids'] = positionIds;
      if (countsLogits) feeds['num_logits_to_keep'] = onePosition;
      if (hasCacheBranch) {
        feeds['use_cache_branch'] = { type: 'bool', dims: [1], data: Uint8Array.of(capacity > 0 ? 1 : 0) };
      }
      const results = await session.run(feeds, fetches);
      const slots = slotNames.map((name) => results[name]!);
      if (ragged) cache.append(slots, count);
      else cache.replace(slots, count);
      return lastPosition(results[logitsName]!, rows);
    },
    release: () => session.release(),
  };

  function lastPosition({ type, dims, data }: Tensor, rows: number): Float32Array {
    const size = dims.at(-1)!;
    const positions = dims[1]!;
    let values: Float32Array;
    if (type === 'float16') {
      if (halfLogits.length !== data.length) halfLogits = new Float32Array(data.length);
      values = float16ToFloat32Into(halfLogits, data as Uint16Array);
    } else {
      values = data as Float32Array;
    }
    if (positions === 1) return values;
    const last = new Float32Array(rows * size);
    for (let row = 0; row < rows; row++) {
      const start = ((row + 1) * positions - 1) * size;
      last.set(values.subarray(start, start + size), row * size);
    }
    return last;
  }
}

function notADecoder(reason: string): InferenceError {
  return new InferenceError(
    'invalid_request',
    `source: the graph is no decoder with a key-value cache: ${reason}`,
    {
      param: 'source',
    },
  );
}
