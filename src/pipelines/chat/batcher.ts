import type { Decoder } from './decoder.ts';
import { KeyValueCache, type CacheRow } from './key-value-cache.ts';

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
   * Whether its batch must hold no other generation. The shape of a batch reaches the last bits of the logits, so
   * what has to be reproducible is computed in the same shapes every time.
   */
  readonly exclusive: boolean;
  /** Looked at before every step. */
  readonly cancelled: boolean;
  promptEnded(): void;
  /** Every continuation has ended, or the generation was cancelled. */
  ended(): void;
  failed(error: unknown): void;
}

interface Row {
  readonly generation: Generation;
  readonly continuation: Continuation;
  token: number;
}

interface Batch {
  cache: KeyValueCache;
  rows: Row[];
  readonly exclusive: boolean;
}

interface Prefill {
  readonly generation: Generation;
  readonly cache: KeyValueCache;
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
  readonly #waiting: Prefill[] = [];
  #batches: Batch[] = [];
  #running: Promise<void> | undefined;
  /** Forward passes so far. */
  steps = 0;

  /** @param maxRows sequences per batch */
  constructor(decoder: Decoder, { maxRows }: { readonly maxRows: number }) {
    this.#decoder = decoder;
    this.#maxRows = maxRows;
  }

  add(generation: Generation): void {
    this.#waiting.push({ generation, cache: this.#decoder.createCache(), done: 0 });
    this.#running ??= this.#run();
  }

  /** Resolves when no generation is left. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0 || this.#batches.length > 0) {
      if (this.#waiting.length > 0) await this.#prefill(this.#waiting[0]!);
      for (const batch of this.#batches) await this.#step(batch);
      this.#batches = this.#batches.filter(({ rows }) => rows.length > 0);
    }
    this.#running = undefined;
  }

  async #prefill(prefill: Prefill): Promise<void> {
    const { generation, cache } = prefill;
    try {
      if (generation.cancelled) {
        this.#waiting.shift();
        generation.ended();
        return;
      }
      const tokens = generation.prompt.subarray(prefill.done, prefill.done + prefillTokens);
      const logits = await this.#decoder.forward(cache, tokens, tokens.length);
      this.steps++;
      prefill.done += tokens.length;
      if (prefill.done < generation.prompt.length) return;
      this.#waiting.shift();
      generation.promptEnded();
      const rows: Row[] = [];
      for (const continuation of generation.continuations) {
        const token = continuation.next(logits);
        if (token !== undefined) rows.push({ generation, continuation, token });
      }
      if (rows.length === 0) generation.ended();
      else this.#join(rows, cache, generation.exclusive || !this.#decoder.ragged);
    } catch (error) {
      this.#waiting.shift();
      generation.failed(error);
    }
  }

  #join(rows: Row[], cache: KeyValueCache, exclusive: boolean): void {
    const prompt = { cache, row: 0 };
    const host = exclusive
      ? undefined
      : this.#batches.find((batch) => !batch.exclusive && batch.rows.length + rows.length <= this.#maxRows);
    if (host) {
      host.cache = KeyValueCache.gather([...rowsOf(host.cache), ...rows.map(() => prompt)]);
      host.rows.push(...rows);
    } else {
      const own = rows.length === 1 ? cache : KeyValueCache.gather(rows.map(() => prompt));
      this.#batches.push({ cache: own, rows, exclusive });
    }
  }

  async #step(batch: Batch): Promise<void> {
    this.#leave(batch, ({ generation }) => generation.cancelled);
    if (batch.rows.length === 0) return;
    const { rows } = batch;
    const tokens = Int32Array.from(rows, ({ token }) => token);
    let logits: Float32Array;
    try {
      logits = await this.#decoder.forward(batch.cache, tokens, 1);
      this.steps++;
    } catch (error) {
      batch.rows = [];
      for (const generation of new Set(rows.map((row) => row.generation))) generation.failed(error);
      return;
    }
    const size = this.#decoder.vocabularySize;
    const over = new Set<Row>();
    const broken = new Set<Generation>();
    rows.forEach((row, index) => {
      if (broken.has(row.generation)) return;
      try {
        const token = row.continuation.next(logits.subarray(index * size, (index + 1) * size));
        if (token === undefined) over.add(row);
        else row.token = token;
      } catch (error) {
        broken.add(row.generation);
        row.generation.failed(error);
      }
    });
    if (over.size > 0 || broken.size > 0) {
      this.#leave(batch, (row) => over.has(row) || broken.has(row.generation), broken);
    }
  }

  /** Drops rows from a batch; generations without any left have ended, unless they failed. */
  #leave(batch: Batch, leaves: (row: Row) => boolean, failed: ReadonlySet<Generation> = new Set()): void {
    const kept = batch.rows.map((row, index) => ({ row, index })).filter(({ row }) => !leaves(row));
    if (kept.length === batch.rows.length) return;
    const gone = new Set(batch.rows.filter(leaves).map(({ generation }) => generation));
    batch.rows = kept.map(({ row }) => row);
    for (const { generation } of batch.rows) gone.delete(generation);
    if (kept.length > 0) batch.cache = KeyValueCache.gather(kept.map(({ index }) => ({ cache: batch.cache, row: index })));
    for (const generation of gone) if (!failed.has(generation)) generation.ended();
  }
}

function rowsOf(cache: KeyValueCache): CacheRow[] {
  return Array.from({ length: cache.rows }, (_, row) => ({ cache, row }));
}
