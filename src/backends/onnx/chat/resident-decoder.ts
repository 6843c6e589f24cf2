import type { BindableSession } from '../../../contracts/graph.ts';
import type { Decoder, StepInputs } from '../../../contracts/decoder.ts';
import { createLastLogits } from '../../../runtime/last-logits.ts';
import { readDecoderLayout, type GraphSides } from './decoder-layout.ts';
import { minPromptTokens, type PromptSession } from './prompt-session.ts';
import { ResidentCache, roomFor } from './resident-cache.ts';
import { lengthen, bindStep, type StepTokens } from './step-tensors.ts';
import { StoragePool } from './storage-pool.ts';

/**
 * Small, since a request with a seed rereads up to this many tokens of its prompt; pieces of 256 take 0.97 of the time
 * (SmolLM2 in int4).
 */
const pieceTokens = 64;
/** With a session for prompts, which copies the cache at each piece, and may not be interruptible within one. */
const longPieceTokens = 256;

/**
 * Runs a decoder with `GroupQueryAttention` and caches that the graph updates in place: everything is bound once, and a
 * single-token step copies nothing.
 */
export function createResidentDecoder(
  session: BindableSession,
  sides: GraphSides,
  prompts?: PromptSession,
): Decoder {
  const layout = readDecoderLayout(sides);
  const { entries, states, shape, logitsType } = layout;
  const { vocabularySize, hiddenSize, hasGridPositions } = shape;
  const pool = new StoragePool();
  const parts = { session, keysAndValues: { entries, pool }, states: { entries: states, pool } };
  // Padding and reverted tokens would have changed the states.
  const hasStates = states.length > 0;
  const LogitsArray = logitsType === 'float16' ? Uint16Array : Float32Array;
  /** Output memory for the logits of steps. */
  let memory = new LogitsArray(0);
  const lastLogits = createLastLogits();
  let interruption = new AbortController();

  const decoder: Decoder<ResidentCache> = {
    ...shape,
    ragged: true,
    raggedPrompts: !hasStates,
    cutsSequences: !hasStates,
    pieceTokens: prompts ? longPieceTokens : pieceTokens,
    createCache: (rows = 1, room = 0) => new ResidentCache(parts, rows, room && roomFor(room)),
    async gather(rows, replaced, room) {
      return ResidentCache.gather(rows, replaced, room);
    },
    async keep(row, isLast = false) {
      return isLast && row.cache.isTight ? row.cache.rest() : ResidentCache.gather([row]);
    },
    async forward(cache, tokens, count, counts, inputs) {
      if (!prompts || count < minPromptTokens) return forward(cache, { tokens, count, counts, inputs });
      return readPrompts(prompts, cache, { tokens, count, counts });
    },
    async forwardAll(cache, tokens, inputs) {
      const logits = await runAll(cache, tokens, inputs);
      lengthen(cache.lengths, tokens.length);
      return logits;
    },
    interrupt() {
      interruption.abort();
      interruption = new AbortController();
    },
    async release() {
      await prompts?.release();
      await session.release();
    },
  };
  // Draft tokens would need embeddings or positions.
  if (hasStates || hiddenSize !== undefined || hasGridPositions) return decoder;
  return {
    ...decoder,
    async verify(cache: ResidentCache, tokens, accept) {
      cache.lengths[0]! += accept(await runAll(cache, tokens));
    },
  } satisfies Decoder<ResidentCache>;

  async function forward(cache: ResidentCache, step: Omit<StepTokens, 'wanted'>): Promise<Float32Array> {
    const { count, counts } = step;
    const { logits, positions } = await run(cache, { ...step, wanted: 1 });
    lengthen(cache.lengths, count, counts);
    return lastLogits(logits!, { rows: cache.rows, positions, vocabularySize, counts });
  }

  /** This session computes the logits, independent of the prompt session's precision. */
  async function readPrompts(
    { read }: PromptSession,
    cache: ResidentCache,
    { tokens, count, counts }: Omit<StepTokens, 'wanted'>,
  ): Promise<Float32Array> {
    const { signal } = interruption;
    const lengths = cache.lengths.slice();
    const last = new Int32Array(cache.rows);
    cache.reserve(count);
    for (const [row, slot] of lengths.entries()) {
      const start = row * count;
      const end = start + (counts?.[row] ?? count) - 1;
      last[row] = tokens[end]!;
      if (end > start) await read(tokens.subarray(start, end), cache.storage, { row, slot }, { signal });
    }
    lengthen(
      cache.lengths,
      count - 1,
      counts?.map((own) => own - 1),
    );
    try {
      return await forward(cache, { tokens: last, count: 1 });
    } catch (error) {
      cache.lengths.set(lengths);
      throw error;
    }
  }

  async function runAll(cache: ResidentCache, tokens: Int32Array, inputs?: StepInputs) {
    const count = tokens.length;
    const { logits } = await run(cache, { tokens, count, wanted: count, inputs });
    return lastLogits(logits!, { rows: count, positions: 1, vocabularySize });
  }

  async function run(cache: ResidentCache, tokens: StepTokens) {
    const { binding, step } = await bindStep({ session, layout }, cache, tokens);
    if (!step.logits) {
      const dims = [cache.rows, step.positions, vocabularySize];
      const size = cache.rows * step.positions * vocabularySize;
      if (memory.length < size) memory = new LogitsArray(size);
      step.logits = memory.subarray(0, size);
      const tensor = session.createTensor({ type: logitsType, dims, data: step.logits });
      binding.bindOutput('logits', tensor);
      tensor.release();
    }
    await binding.run({ signal: interruption.signal, isShort: tokens.count === 1 });
    cache.turnStates();
    return step;
  }
}
