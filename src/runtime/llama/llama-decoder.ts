import type { CacheRow, Decoder, DecoderCache } from '../../contracts/decoder.ts';
import { CacheFull } from '../../runtime/cache-full.ts';
import { LlamaContext } from './llama-context.ts';
import type { LlamaModel } from './llama-model.ts';

export interface LlamaDecoderOptions {
  /** Total tokens of all sequences. */
  readonly cacheTokens: number;
  /** Maximum sequences generated together. */
  readonly maxRows: number;
  readonly threads: number;
}

/** Maximum tokens that the batcher reads per step. */
const batchSize = 512;
/** Compile-time limits of llama.cpp. */
const maxSequences = 256;
/** Cache slots per generated sequence: further choices of its request, a kept one, and copies while batches change. */
const sequencesPerRow = 10;
/**
 * Approximate: restoring a saved sequence for a smaller part of it takes longer than computing that part, since it is
 * restored completely.
 */
const minRestoredPart = { cpu: 1 / 1024, gpu: 1 / 16 };

interface LlamaStep {
  readonly tokens: Int32Array;
  readonly count: number;
  readonly counts?: readonly number[] | undefined;
  /** Last tokens of each row with logits. */
  readonly wanted: number;
}

interface LlamaCache extends DecoderCache {
  readonly ids: number[];
  /** The state of a kept sequence that left the context. */
  saved: Uint8Array | undefined;
  minBeginning: number;
}

/**
 * A decoder over llama.cpp: caches are its sequences, copies of which share memory, and all rows of a step are one run.
 * Every run attends over the whole context, so kept sequences are saved to this process's memory, unless the next run
 * continues them.
 */
export function createLlamaDecoder(
  model: LlamaModel,
  { cacheTokens, maxRows, threads }: LlamaDecoderOptions,
): Decoder {
  const sequences = Math.min(maxSequences, sequencesPerRow * maxRows + 2);
  const context = new LlamaContext(model, { tokens: cacheTokens, batchSize, sequences, threads });
  const minPart = minRestoredPart[model.llama.gpu === 'none' ? 'cpu' : 'gpu'];
  const free = Array.from({ length: sequences }, (_, index) => sequences - 1 - index);
  const kept = new Set<LlamaCache>();
  /** Sequences that contain a complete kept one, which then needs no memory. */
  const heirs = new Map<number, LlamaCache>();

  const take = (): number => {
    const id = free.pop();
    if (id === undefined) throw new CacheFull(`all ${sequences} sequences are in use`);
    return id;
  };
  const giveBack = (ids: readonly number[]): void => {
    for (const id of ids) {
      context.clear(id);
      heirs.delete(id);
    }
    free.push(...ids);
  };
  const release = (cache: LlamaCache): void => {
    kept.delete(cache);
    giveBack(cache.ids.splice(0));
  };
  const hold = (ids: number[], lengths: Int32Array, bytes = 0): LlamaCache => {
    const cache: LlamaCache = {
      bytes,
      ids,
      lengths,
      rows: lengths.length,
      saved: undefined,
      minBeginning: 0,
      release() {
        cache.saved = undefined;
        release(cache);
      },
    };
    return cache;
  };
  const saveKept = async (): Promise<void> => {
    if (kept.size === 0) return;
    const continued = new Set(heirs.values());
    for (const cache of kept) {
      if (continued.has(cache)) continue;
      try {
        cache.saved = await context.save(cache.ids[0]!);
        cache.minBeginning = cache.lengths[0]! * minPart;
      } catch {
        // This process is out of memory.
        cache.minBeginning = Infinity;
      }
      release(cache);
    }
  };
  const copy = async ({ cache, row, length }: CacheRow<LlamaCache>): Promise<number> => {
    if (cache.saved) await saveKept();
    const to = take();
    const from = cache.ids[row];
    const isWhole = length === undefined || length === cache.lengths[row];
    if (from !== undefined) {
      context.copy(from, to, length ?? -1);
      const inherited = kept.has(cache) ? cache : heirs.get(from);
      if (inherited && isWhole) heirs.set(to, inherited);
      return to;
    }
    try {
      await context.restore(to, cache.saved!);
      if (!isWhole) context.clear(to, length);
      return to;
    } catch (error) {
      giveBack([to]);
      throw error;
    }
  };

  const decoder: Decoder<LlamaCache> = {
    vocabularySize: model.vocabularySize,
    ragged: true,
    raggedPrompts: true,
    capacity: cacheTokens,
    cutsSequences: model.cutsSequences,
    createCache: (rows = 1) => hold(Array.from({ length: rows }, take), new Int32Array(rows)),
    async gather(rows, replaced) {
      const moved = new Set<number>();
      const ids: number[] = [];
      for (const source of rows) {
        const { cache, row, length } = source;
        const from = cache.ids[row]!;
        const isWhole = length === undefined || length === cache.lengths[row];
        const stays = cache === replaced && isWhole && !moved.has(from);
        if (stays) moved.add(from);
        ids.push(stays ? from : await copy(source));
      }
      const lengths = Int32Array.from(rows, ({ cache, row, length }) => length ?? cache.lengths[row]!);
      if (replaced) giveBack(replaced.ids.splice(0).filter((id) => !moved.has(id)));
      return hold(ids, lengths);
    },
    async keep(source) {
      const id = await copy(source);
      const { lengths } = source.cache;
      const length = source.length ?? lengths[source.row]!;
      const cache = hold([id], Int32Array.of(length), context.stateBytes(id));
      kept.add(cache);
      return cache;
    },
    async forward(cache, tokens, count, counts) {
      await run(cache, { tokens, count, counts, wanted: 1 });
      return context.logits(cache.rows);
    },
    async forwardAll(cache, tokens) {
      const count = tokens.length;
      await run(cache, { tokens, count, wanted: count });
      return context.logits(count);
    },
    async release() {
      context.release();
      model.release();
    },
  };
  return decoder;

  async function run(cache: LlamaCache, { tokens, count, counts, wanted }: LlamaStep): Promise<void> {
    await saveKept();
    const { ids, lengths, rows } = cache;
    let at = 0;
    for (let row = 0; row < rows; row++) {
      const own = counts?.[row] ?? count;
      for (let index = 0; index < own; index++, at++) {
        context.tokens[at] = tokens[row * count + index]!;
        context.positions[at] = lengths[row]! + index;
        context.sequences[at] = ids[row]!;
        context.outputs[at] = index >= own - wanted ? 1 : 0;
      }
    }
    await context.run(at);
    for (let row = 0; row < rows; row++) lengths[row]! += counts?.[row] ?? count;
  }
}
