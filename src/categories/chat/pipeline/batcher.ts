import type { Decoder } from './decoder.ts';
import { KeyValueCache, type CacheRow } from './key-value-cache.ts';
import type { PrefixCache } from './prefix-cache.ts';

/** One sequence that continues a prompt. */
export interface Continuation {
  /**
   * Chooses the next token.
   *
   * @param logits `[vocabularySize]`, valid during the call
   * @returns the token to feed next, or `undefined` when the sequence has ended
   */
  next(logits: Float32Array): number | undefined;
}

/** A prompt and the sequences that continue it; they share one prefill and one batch. */
export interface Generation {
  readonly prompt: Int32Array;
  readonly continuations: readonly Continuation[];
  /**
   * Whether it must be computed in the same shapes every time: in a batch of its own and without reusing what others
   * computed, since shapes reach the last bits of the logits.
   */
  readonly reproducible: boolean;
  /** Looked at before every step. */
  readonly cancelled: boolean;
  /** @param cachedTokens how many tokens of the prompt needed no computing */
  promptEnded(cachedTokens: number): void;
  /** Every continuation has ended, or the generation was cancelled. */
  ended(): void;
  failed(error: unknown): void;
}

interface Row {
  readonly generation: Generation;
  readonly continuation: Continuation;
  /** What has been fed after the prompt. */
  readonly fed: number[];
  token: number;
}

interface Batch {
  cache: KeyValueCache;
  rows: Row[];
  /** Whether other generations may join. */
  readonly open: boolean;
}

interface Prefill {
  readonly generation: Generation;
  readonly cache: KeyValueCache;
  readonly cachedTokens: number;
  done: number;
}

/** Tokens of one prefill step: small enough that running generations and cancellations don't wait long for it. */
const prefillTokens = 256;

/**
 * Steps all generations of a decoder together: waiting prompts are prefilled in pieces between the steps, and
 * sequences join and leave the running batch as they begin and end.
 */
export class Batcher {
  readonly #decoder: Decoder;
  readonly #maxRows: number;
  readonly #prefixes: PrefixCache;
  readonly #waiting: Generation[] = [];
  #prefill: Prefill | undefined;
  #batches: Batch[] = [];
  #running: Promise<void> | undefined;
  /** Forward passes so far. */
  steps = 0;

  /** @param options.maxRows sequences per batch */
  constructor(
    decoder: Decoder,
    { maxRows, prefixes }: { readonly maxRows: number; readonly prefixes: PrefixCache },
  ) {
    this.#decoder = decoder;
    this.#maxRows = maxRows;
    this.#prefixes = prefixes;
  }

  add(generation: Generation): void {
    this.#waiting.push(generation);
    this.#running ??= this.#run();
  }

  /** Resolves when no generation is left. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#prefill || this.#waiting.length > 0 || this.#batches.length > 0) {
      this.#prefill ??= this.#begin();
      if (this.#prefill) await this.#continue(this.#prefill);
      for (const batch of this.#batches) await this.#step(batch);
      this.#batches = this.#batches.filter(({ rows }) => rows.length > 0);
    }
    this.#running = undefined;
  }

  #begin(): Prefill | undefined {
    const generation = this.#waiting.shift();
    if (!generation) return undefined;
    const shared = generation.reproducible ? undefined : this.#prefixes.find(generation.prompt);
    const cachedTokens = shared?.length ?? 0;
    return {
      generation,
      cache: shared?.cache ?? this.#decoder.createCache(),
      cachedTokens,
      done: cachedTokens,
    };
  }

  async #continue(prefill: Prefill): Promise<void> {
    const { generation, cache } = prefill;
    try {
      if (generation.cancelled) {
        this.#prefill = undefined;
        cache.release();
        generation.ended();
        return;
      }
      const tokens = generation.prompt.subarray(prefill.done, prefill.done + prefillTokens);
      const logits = await this.#decoder.forward(cache, tokens, tokens.length);
      this.steps++;
      prefill.done += tokens.length;
      if (prefill.done < generation.prompt.length) return;
      this.#prefill = undefined;
      generation.promptEnded(prefill.cachedTokens);
      const rows: Row[] = [];
      for (const continuation of generation.continuations) {
        const token = continuation.next(logits);
        if (token !== undefined) rows.push({ generation, continuation, token, fed: [] });
      }
      if (rows.length > 0) return this.#join(rows, cache);
      this.#prefixes.keep(generation.prompt, { cache, row: 0 });
      cache.release();
      generation.ended();
    } catch (error) {
      this.#prefill = undefined;
      generation.failed(error);
    }
  }

  #join(rows: Row[], cache: KeyValueCache): void {
    const open = this.#decoder.ragged && !rows[0]!.generation.reproducible;
    const host = this.#batches.find(
      (batch) => open && batch.open && batch.rows.length + rows.length <= this.#maxRows,
    );
    const prompt = { cache, row: 0 };
    if (host) {
      replaceCache(host, [...rowsOf(host.cache), ...rows.map(() => prompt)]);
      host.rows.push(...rows);
      cache.release();
    } else {
      const batch = { cache, rows, open };
      if (rows.length > 1)
        replaceCache(
          batch,
          rows.map(() => prompt),
        );
      this.#batches.push(batch);
    }
  }

  async #step(batch: Batch): Promise<void> {
    this.#leave(batch, new Set(batch.rows.filter(({ generation }) => generation.cancelled)));
    const { rows, cache } = batch;
    if (rows.length === 0) return;
    let logits: Float32Array;
    try {
      logits = await this.#decoder.forward(
        cache,
        Int32Array.from(rows, ({ token }) => token),
        1,
      );
      this.steps++;
    } catch (error) {
      this.#fail(batch, new Map(rows.map(({ generation }) => [generation, error])));
      return;
    }
    const size = this.#decoder.vocabularySize;
    const over = new Set<Row>();
    const failures = new Map<Generation, unknown>();
    for (const [index, row] of rows.entries()) {
      if (failures.has(row.generation)) continue;
      row.fed.push(row.token);
      try {
        const token = row.continuation.next(logits.subarray(index * size, (index + 1) * size));
        if (token === undefined) over.add(row);
        else row.token = token;
      } catch (error) {
        failures.set(row.generation, error);
      }
    }
    this.#fail(batch, failures);
    this.#leave(batch, over);
  }

  /** Takes rows out of a batch. Generations that have none left have ended; what they computed is kept. */
  #leave(batch: Batch, leaving: ReadonlySet<Row>): void {
    if (leaving.size === 0) return;
    const left = new Set<Generation>();
    batch.rows.forEach((row, index) => {
      const { generation, fed } = row;
      if (!leaving.has(row) || left.has(generation)) return;
      left.add(generation);
      this.#prefixes.keep(Int32Array.from([...generation.prompt, ...fed]), {
        cache: batch.cache,
        row: index,
      });
    });
    this.#remove(batch, leaving);
    for (const { generation } of batch.rows) left.delete(generation);
    for (const generation of left) generation.ended();
  }

  #fail(batch: Batch, failures: ReadonlyMap<Generation, unknown>): void {
    if (failures.size === 0) return;
    this.#remove(batch, new Set(batch.rows.filter(({ generation }) => failures.has(generation))));
    for (const [generation, error] of failures) generation.failed(error);
  }

  #remove(batch: Batch, rows: ReadonlySet<Row>): void {
    const kept = [...batch.rows.entries()].filter(([, row]) => !rows.has(row));
    batch.rows = kept.map(([, row]) => row);
    if (kept.length > 0)
      replaceCache(
        batch,
        kept.map(([index]) => ({ cache: batch.cache, row: index })),
      );
    else batch.cache.release();
  }
}

function replaceCache(batch: Batch, rows: readonly CacheRow[]): void {
  const { cache } = batch;
  batch.cache = KeyValueCache.gather(rows);
  cache.release();
}

function rowsOf(cache: KeyValueCache): CacheRow[] {
  return Array.from({ length: cache.rows }, (_, row) => ({ cache, row }));
}
