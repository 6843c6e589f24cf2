import { newSlotsOutput } from '../../../core/onnx/rewrites/new-slots.ts';
import type { Session, Tensor } from '../../../runtime/contract.ts';
import type { Decoder } from '../../../runtime/decoder.ts';
import { assertTokens } from './assert-tokens.ts';
import { layerEmbeddingsInput, layerSizeOf, readDecoderLayout, type GraphSides } from './decoder-layout.ts';
import { createLastLogits } from './last-logits.ts';
import { KeyValueCache } from './key-value-cache.ts';
import { StepFeedsFactory } from './step-feeds.ts';
import { StoragePool } from './storage-pool.ts';

const onePosition: Tensor = { type: 'int64', dims: [], data: BigInt64Array.of(1n) };

/**
 * Runs a decoder in the hub's ONNX layout over any session, with caches of this process that are fed at each step and
 * of which the new slots come back, and whole states where layers keep these: `input_ids`, `attention_mask`, `past_key_values.*` → `logits`, `present.*`; with or
 * without `position_ids`, `num_logits_to_keep` and `last_positions`; also the older merged export with
 * `use_cache_branch`.
 *
 * @param options.ragged `false` for graphs that count the used slots themselves and want no unused ones between past and new
 * @param options.findsPositions `true` for graphs without `position_ids` that are right about rows with unused slots
 * @param options.sides where they are known better than the session knows them
 * @throws InferenceError `invalid_request` when the graph is no such decoder
 */
export function createCopyingDecoder(
  session: Session,
  options: {
    readonly ragged?: boolean;
    readonly findsPositions?: boolean;
    readonly sides?: GraphSides;
  } = {},
): Decoder {
  const layout = readDecoderLayout(options.sides ?? session);
  const { entries, states, inputs, outputs, vocabularySize, hiddenSize, layerDims, hasGridPositions } =
    layout;
  const hasPositions = inputs.has('position_ids');
  const hasCacheBranch = inputs.has('use_cache_branch');
  const knowsPositions = hasPositions || options.findsPositions === true;
  const ragged = knowsPositions && !hasCacheBranch && options.ragged !== false;
  const slicesSlots = ragged && entries.every(({ present }) => outputs.has(newSlotsOutput(present)));
  const slotNames = entries.map(({ present }) => (slicesSlots ? newSlotsOutput(present) : present));
  const fetches = ['logits', ...slotNames, ...states.map(({ present }) => present)];
  const stepFeeds = new StepFeedsFactory();
  const pool = new StoragePool();
  let interruption = new AbortController();
  const lastLogits = createLastLogits();

  const decoder: Decoder<KeyValueCache> = {
    vocabularySize,
    hiddenSize,
    layerSize: layerSizeOf(layout),
    hasGridPositions,
    ragged,
    raggedPrompts: false,
    cutsSequences: states.length === 0,
    createCache: (rows = 1) => new KeyValueCache(entries, { rows, spare: ragged, pool, states }),
    async gather(rows, replaced) {
      const gathered = KeyValueCache.gather(rows);
      replaced?.release();
      return gathered;
    },
    async forward(cache, tokens, count, _counts, { embeddings, layerEmbeddings, positions } = {}) {
      const { rows, capacity } = cache;
      if (inputs.has('input_ids')) assertTokens(tokens, vocabularySize);
      const { inputIds, positionIds, attentionMask } = stepFeeds.create(cache, tokens, count);
      const feeds: Record<string, Tensor> = {
        ...cache.tensors,
        ...cache.states.feeds(rows),
        attention_mask: attentionMask,
      };
      if (inputs.has('input_ids')) feeds['input_ids'] = inputIds;
      if (embeddings && hiddenSize !== undefined)
        feeds['inputs_embeds'] = { type: 'float32', dims: [rows, count, hiddenSize], data: embeddings };
      if (layerEmbeddings && layerDims)
        feeds[layerEmbeddingsInput] = {
          type: 'float32',
          dims: [rows, count, ...layerDims],
          data: layerEmbeddings,
        };
      if (hasPositions) feeds['position_ids'] = positions ? gridOf(positions, rows, count) : positionIds;
      if (inputs.has('num_logits_to_keep')) feeds['num_logits_to_keep'] = onePosition;
      if (inputs.has('last_positions')) feeds['last_positions'] = lastOf(rows);
      if (hasCacheBranch) {
        feeds['use_cache_branch'] = { type: 'bool', dims: [1], data: Uint8Array.of(capacity > 0 ? 1 : 0) };
      }
      const results = await session.run(feeds, fetches, interruption);
      const slots = slotNames.map((name) => results[name]!);
      if (ragged) cache.append(slots, count);
      else cache.replace(slots, count);
      cache.states.replace(results);
      const { dims, data } = results['logits']!;
      const shape = { rows, positions: dims[1]!, vocabularySize: dims[2]! };
      return lastLogits(data as Float32Array | Uint16Array, shape);
    },
    interrupt() {
      interruption.abort();
      interruption = new AbortController();
    },
    release: () => session.release(),
  };
  return decoder;
}

function gridOf(positions: Int32Array, rows: number, count: number): Tensor {
  return { type: 'int64', dims: [3, rows, count], data: BigInt64Array.from(positions, BigInt) };
}

function lastOf(rows: number): Tensor {
  return { type: 'int64', dims: [rows, 1], data: new BigInt64Array(rows).fill(-1n) };
}
