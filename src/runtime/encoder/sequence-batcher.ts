import { setImmediate } from 'node:timers/promises';
import { partitionByLength, type BatchLimits } from '../../core/embedding/batching.ts';
import { InferenceError } from '../../errors.ts';
import { onceAllAborted } from '../all-aborted.ts';
import type { RunOptions } from '../contract.ts';

/** A model that reads sequences of tokens and gives numbers for each. */
export interface SequenceEncoder<S> {
  /** Runs the graph once, all sequences padded to the longest. */
  encode(sequences: readonly S[], options?: RunOptions): Promise<Float32Array[]>;
}

/** Limits of one run; a run costs as much as so many tokens. */
export const defaultBatchLimits: BatchLimits = { maxTokens: 4096, maxRows: 256, batchCost: 32 };

interface Sequence {
  readonly ids: ArrayLike<number>;
}

interface Item<S extends Sequence> {
  readonly sequence: S;
  readonly index: number;
}

interface Job<S extends Sequence> {
  /** Sequences that wait, longest first, so that neighbors need little padding. */
  waiting: Item<S>[];
  readonly vectors: Float32Array[];
  readonly signal: AbortSignal | undefined;
  readonly resolve: (vectors: Float32Array[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Computes the sequences of all requests together. Before every run each request in turn puts in one text, round after
 * round, until there are enough for a run; those of like length then run together. So a request of one text waits for
 * a run or two, however many texts the others have.
 */
export class SequenceBatcher<S extends Sequence> {
  readonly #encoder: SequenceEncoder<S>;
  readonly #limits: BatchLimits;
  /** The longest-waiting request comes first. */
  #jobs: Job<S>[] = [];
  #running: Promise<void> | undefined;
  /** Runs of the graph so far. */
  runs = 0;

  constructor(encoder: SequenceEncoder<S>, limits: BatchLimits) {
    this.#encoder = encoder;
    this.#limits = limits;
  }

  /**
   * @returns a vector for each sequence, in their order
   * @throws InferenceError `cancelled` after `signal` is aborted: during a run for this request alone, else after it
   */
  encode(sequences: readonly S[], signal?: AbortSignal): Promise<Float32Array[]> {
    return new Promise((resolve, reject) => {
      const waiting = sequences
        .map((sequence, index) => ({ sequence, index }))
        .sort((a, b) => b.sequence.ids.length - a.sequence.ids.length);
      this.#jobs.push({ waiting, vectors: [], signal, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when no request is left. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    for (;;) {
      // Requests and cancellations that came during the last run are read now.
      await setImmediate();
      this.#leave();
      if (this.#jobs.length === 0) break;
      await this.#step(this.#chooseBatch());
    }
    this.#running = undefined;
  }

  #leave(): void {
    this.#jobs = this.#jobs.filter(({ signal, waiting, vectors, resolve, reject }) => {
      if (signal?.aborted) reject(new InferenceError('cancelled', 'The request was cancelled.'));
      else if (waiting.length === 0) resolve(vectors);
      else return true;
      return false;
    });
  }

  /** Texts of like length from as many requests as possible, one of the first request among them. */
  #chooseBatch(): Map<Job<S>, Item<S>[]> {
    const offered: { job: Job<S>; item: Item<S> }[] = [];
    const { maxTokens, maxRows } = this.#limits;
    let tokens = 0;
    for (let round = 0; tokens < maxTokens && offered.length < maxRows; round++) {
      const before = offered.length;
      for (const job of this.#jobs) {
        const item = job.waiting[round];
        if (!item || tokens >= maxTokens || offered.length >= maxRows) continue;
        tokens += item.sequence.ids.length;
        offered.push({ job, item });
      }
      if (offered.length === before) break;
    }
    const lengths = offered.map(({ item }) => item.sequence.ids.length);
    const batch = partitionByLength(lengths, this.#limits).find((indices) => indices.includes(0))!;
    const chosen = new Map<Job<S>, Item<S>[]>();
    for (const { job, item } of batch.map((index) => offered[index]!)) {
      chosen.set(job, [...(chosen.get(job) ?? []), item]);
    }
    return chosen;
  }

  async #step(batch: ReadonlyMap<Job<S>, readonly Item<S>[]>): Promise<void> {
    const items = [...batch.values()].flat();
    const controller = new AbortController();
    const signals = [...batch.keys()].map((job) => job.signal);
    const stopListening = onceAllAborted(signals, () => controller.abort());
    try {
      const vectors = await this.#encoder.encode(
        items.map(({ sequence }) => sequence),
        controller,
      );
      this.runs++;
      let at = 0;
      for (const [job, own] of batch) {
        for (const { index } of own) job.vectors[index] = vectors[at++]!;
        const done = new Set(own);
        job.waiting = job.waiting.filter((item) => !done.has(item));
      }
      // Who was served goes after those who were not.
      this.#jobs = [
        ...this.#jobs.filter((job) => !batch.has(job)),
        ...this.#jobs.filter((job) => batch.has(job)),
      ];
    } catch (error) {
      // Cancelled requests leave before the next run.
      if (controller.signal.aborted) return;
      for (const job of batch.keys()) job.reject(error);
      this.#jobs = this.#jobs.filter((job) => !batch.has(job));
    } finally {
      stopListening();
    }
  }
}
