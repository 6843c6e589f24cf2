import type { BindableSession } from '../../../runtime/contract.ts';
import type { Decoder, StepInputs } from '../../../runtime/decoder.ts';
import { layerSizeOf, readDecoderLayout, type GraphSides } from './decoder-layout.ts';
import { createLastLogits } from './last-logits.ts';
import { ResidentCache } from './resident-cache.ts';
import { StepTensors, type LogitsMemory } from './step-tensors.ts';
import { StoragePool } from './storage-pool.ts';

/**
 * Few, since a request with a seed reads up to so many tokens of its prompt again; pieces of 256 take 0.97 of the time (SmolLM2
 * in int4).
 */
const pieceTokens = 64;

/**
 * Runs a decoder whose attention is `GroupQueryAttention` with caches that the graph changes in place: everything is
 * bound once, and a step of one token copies nothing.
 *
 * @param sides what the graph's file says
 * @throws InferenceError `invalid_request` when the graph is no such decoder
 */
export function createResidentDecoder(session: BindableSession, sides: GraphSides): Decoder {
  const layout = readDecoderLayout(sides);
  const { entries, states, vocabularySize, hiddenSize, hasGridPositions } = layout;
  const pool = new StoragePool();
  const parts = { session, entries, states, pool };
  // Padding and tokens that are taken back would have changed the states.
  const hasStates = states.length > 0;
  const memory: LogitsMemory = { float32: new Float32Array(0), float16: new Uint16Array(0) };
  const lastLogits = createLastLogits();
  let interruption = new AbortController();

  const decoder: Decoder<ResidentCache> = {
    vocabularySize,
    hiddenSize,
    layerSize: layerSizeOf(layout),
    hasGridPositions,
    ragged: true,
    raggedPrompts: !hasStates,
    cutsSequences: !hasStates,
    pieceTokens,
    createCache: (rows = 1) => new ResidentCache(parts, { rows, capacity: 0 }),
    async gather(rows, replaced) {
      return ResidentCache.gather(rows, replaced);
    },
    async forward(cache, tokens, count, counts, inputs) {
      const step = await run(cache, tokens, { count, wanted: 1, counts, inputs });
      cache.lengths.forEach((_, row) => (cache.lengths[row]! += counts?.[row] ?? count));
      const { logits, positions } = step;
      return lastLogits(logits, { rows: cache.rows, positions, vocabularySize, counts });
    },
    interrupt() {
      interruption.abort();
      interruption = new AbortController();
    },
    release: () => session.release(),
  };
  // Guessed tokens would need embeddings or positions of their own.
  if (hasStates || hiddenSize !== undefined || hasGridPositions) return decoder;
  return {
    ...decoder,
    async verify(cache: ResidentCache, tokens, accept) {
      const count = tokens.length;
      const { logits } = await run(cache, tokens, { count, wanted: count });
      cache.lengths[0]! += accept(lastLogits(logits, { rows: count, positions: 1, vocabularySize }));
    },
  } satisfies Decoder<ResidentCache>;

  async function run(
    cache: ResidentCache,
    tokens: Int32Array,
    {
      count,
      wanted,
      counts,
      inputs,
    }: {
      count: number;
      wanted: number;
      counts?: readonly number[] | undefined;
      inputs?: StepInputs | undefined;
    },
  ): Promise<StepTensors> {
    cache.reserve(count);
    const binding = cache.bind();
    const isFirst = cache.lengths.every((length) => length === 0);
    let { step } = cache;
    const fits = step?.count === count && step.wanted === wanted;
    if (!step || !fits || Math.max(...cache.lengths) + count > step.width) {
      step = new StepTensors({ session, binding, layout, memory }, cache, { count, isFirst, wanted });
      cache.step = isFirst ? undefined : step;
    }
    step.fill(cache.lengths, tokens, counts, inputs);
    await binding.run(interruption);
    cache.turnStates();
    return step;
  }
}
