import { CacheFull, type Decoder, type DecoderCache } from '../decoder.ts';
import { LlamaContext, LlamaContextFull } from './llama-context.ts';
import type { LlamaModel } from './llama-model.ts';

export interface LlamaDecoderOptions {
  /** Tokens that all sequences hold together. */
  readonly cacheTokens: number;
  /** Sequences that are generated together. */
  readonly maxRows: number;
  readonly threads: number;
}

/** Number that the batcher reads in one step. */
const batchSize = 512;
/** Limits that llama.cpp is built with. */
const mostSequences = 256;
/** Cache slots of each generated sequence: other choices of its request, a kept one, and copies while batches change. */
const sequencesPerRow = 10;

class LlamaCache implements DecoderCache {
  readonly bytes = 0;
  readonly ids: number[];
  readonly lengths: Int32Array;
  readonly #free: (ids: readonly number[]) => void;

  constructor(ids: number[], lengths: Int32Array, free: (ids: readonly number[]) => void) {
    this.ids = ids;
    this.lengths = lengths;
    this.#free = free;
  }

  get rows(): number {
    return this.lengths.length;
  }

  release(): void {
    this.#free(this.ids.splice(0));
  }
}

/**
 * A decoder over llama.cpp: caches are its sequences, of which copies share memory, and all rows of a step are one run.
 *
 * @throws InferenceError `invalid_request` where there is too little memory for the cache
 */
export function createLlamaDecoder(
  model: LlamaModel,
  { cacheTokens, maxRows, threads }: LlamaDecoderOptions,
): Decoder {
  const sequences = Math.min(mostSequences, sequencesPerRow * maxRows + 2);
  const context = new LlamaContext(model, { tokens: cacheTokens, batchSize, sequences, threads });
  const free = Array.from({ length: sequences }, (_, index) => sequences - 1 - index);

  const take = (): number => {
    const id = free.pop();
    if (id === undefined) throw new CacheFull(`all ${sequences} sequences are in use`);
    return id;
  };
  const giveBack = (ids: readonly number[]): void => {
    for (const id of ids) context.clear(id);
    free.push(...ids);
  };

  const decoder: Decoder<LlamaCache> = {
    vocabularySize: model.vocabularySize,
    ragged: true,
    raggedPrompts: true,
    capacity: cacheTokens,
    cutsSequences: model.cutsSequences,
    createCache(rows = 1) {
      return new LlamaCache(Array.from({ length: rows }, take), new Int32Array(rows), giveBack);
    },
    async gather(rows, replaced) {
      const moved = new Set<number>();
      const ids = rows.map(({ cache, row, length }) => {
        const from = cache.ids[row]!;
        const isWhole = length === undefined || length === cache.lengths[row];
        if (cache === replaced && isWhole && !moved.has(from)) {
          moved.add(from);
          return from;
        }
        const to = take();
        context.copy(from, to, length ?? -1);
        return to;
      });
      const lengths = Int32Array.from(rows, ({ cache, row, length }) => length ?? cache.lengths[row]!);
      if (replaced) giveBack(replaced.ids.splice(0).filter((id) => !moved.has(id)));
      return new LlamaCache(ids, lengths, giveBack);
    },
    async forward(cache, tokens, count, counts) {
      const { ids, lengths, rows } = cache;
      let at = 0;
      for (let row = 0; row < rows; row++) {
        const own = counts?.[row] ?? count;
        for (let index = 0; index < own; index++, at++) {
          context.tokens[at] = tokens[row * count + index]!;
          context.positions[at] = lengths[row]! + index;
          context.sequences[at] = ids[row]!;
          context.outputs[at] = index === own - 1 ? 1 : 0;
        }
      }
      try {
        await context.run(at);
      } catch (error) {
        if (!(error instanceof LlamaContextFull)) throw error;
        throw new CacheFull(`the cache holds ${cacheTokens} tokens, and all are in use`);
      }
      for (let row = 0; row < rows; row++) lengths[row]! += counts?.[row] ?? count;
      return context.logits(rows);
    },
    async release() {
      context.release();
      model.release();
    },
  };
  return decoder;
}
