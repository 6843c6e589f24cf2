import { newSlotsOutput } from '../../../core/onnx/rewrites/new-slots.ts';
import type { Session, Tensor } from '../../../contracts/graph.ts';
import type { Decoder, StepInputs } from '../../../contracts/decoder.ts';
import { createLastLogits } from '../../../runtime/last-logits.ts';
import { readDecoderLayout, type GraphSides } from './decoder-layout.ts';
import { KeyValueCache } from './key-value-cache.ts';
import { StepTensors, type StepTokens } from './step-tensors.ts';
import { StoragePool } from './storage-pool.ts';

/** Tokens per step of a prompt without a seed: every step feeds the whole cache. */
const pieceTokens = 256;

/**
 * Runs a decoder in Hugging Face's ONNX layout over any session, with caches in this process: each step feeds them and
 * returns their new slots, or complete states for layers that have them.
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
  const { entries, states, inputs, outputs, shape } = layout;
  const hasCacheBranch = inputs.has('use_cache_branch');
  const knowsPositions = inputs.has('position_ids') || options.findsPositions === true;
  const ragged = knowsPositions && !hasCacheBranch && options.ragged !== false;
  const slicesSlots = ragged && entries.every(({ present }) => outputs.has(newSlotsOutput(present)));
  const slotNames = entries.map(({ present }) => (slicesSlots ? newSlotsOutput(present) : present));
  const fetches = ['logits', ...slotNames, ...states.map(({ present }) => present)];
  const pool = new StoragePool();
  const parts = { keysAndValues: { entries, pool }, states: { entries: states, pool }, spare: ragged };
  let interruption = new AbortController();
  const lastLogits = createLastLogits();

  const decoder: Decoder<KeyValueCache> = {
    ...shape,
    ragged,
    raggedPrompts: false,
    cutsSequences: states.length === 0,
    pieceTokens,
    createCache: (rows = 1) => new KeyValueCache(parts, rows),
    async gather(rows, replaced) {
      const gathered = KeyValueCache.gather(rows);
      replaced?.release();
      return gathered;
    },
    async forward(cache, tokens, count, _counts, stepInputs) {
      const { dims, data } = await run(cache, { tokens, count, wanted: 1 }, stepInputs);
      const [, positions, vocabularySize] = dims as [number, number, number];
      return lastLogits(data as Float32Array | Uint16Array, { rows: cache.rows, positions, vocabularySize });
    },
    async forwardAll(cache, tokens, stepInputs) {
      const count = tokens.length;
      const { data } = await run(cache, { tokens, count, wanted: count }, stepInputs);
      return lastLogits(data as Float32Array | Uint16Array, { ...shape, rows: count, positions: 1 });
    },
    interrupt() {
      interruption.abort();
      interruption = new AbortController();
    },
    release: () => session.release(),
  };
  return decoder;

  async function run(
    cache: KeyValueCache,
    { tokens, count, wanted }: StepTokens,
    stepInputs: StepInputs | undefined,
  ): Promise<Tensor> {
    const size = { count, wanted, atEnd: true };
    if (!cache.step?.fits(cache, size)) cache.step = new StepTensors(layout, cache, size);
    const { step, capacity } = cache;
    step.fill(cache.lengths, tokens, undefined, stepInputs);
    const feeds: Record<string, Tensor> = { ...step.feeds, ...cache.tensors, ...cache.states };
    if (hasCacheBranch)
      feeds['use_cache_branch'] = { type: 'bool', dims: [1], data: Uint8Array.of(capacity > 0 ? 1 : 0) };
    const results = await session.run(feeds, fetches, { signal: interruption.signal, isShort: count === 1 });
    const slots: Tensor[] = [];
    for (const name of slotNames) slots.push(results[name]!);
    if (ragged) cache.append(slots, count);
    else cache.replace(slots, count);
    if (states.length > 0) cache.replaceStates(results);
    return results['logits']!;
  }
}
