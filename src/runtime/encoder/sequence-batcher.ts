import { setImmediate } from 'node:timers/promises';
import { partitionByLength, type BatchLimits } from '../../core/embedding/batching.ts';
import { Shares } from '../../core/shares.ts';
import { InferenceError } from '../../errors.ts';
import { onceAllAborted } from '../all-aborted.ts';
import type { GraphRunOptions } from '../../contracts/graph.ts';

/** A model that computes numbers for token sequences. */
export interface SequenceEncoder<S> {
  encode(sequences: readonly S[], options?: GraphRunOptions): Promise<Float32Array[]>;
}

/** Limits per run; a run's fixed cost equals this many tokens. */
export const defaultBatchLimits: BatchLimits = { maxTokens: 4096, maxRows: 256, batchCost: 32 };

interface Sequence {
  readonly ids: ArrayLike<number>;
}

interface Item<S extends Sequence> {
  readonly sequence: S;
  readonly index: number;
}

interface Job<S extends Sequence> {
  /** Waiting sequences, longest first, so that neighbours need little padding. */
  waiting: Item<S>[];
  readonly vectors: Float32Array[];
  readonly signal: AbortSignal | undefined;
  readonly owner: string | undefined;
  readonly resolve: (vectors: Float32Array[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Maximum duration of a run, if texts are shorter: new requests wait for it; half of it while several owners have texts. */
const sliceMs = 25;
/** A shorter run of a single request computes in the calling thread: changing threads twice takes longer than it gains. */
const shortMs = 12;
/** A smaller run would take about as long. */
const minTokens = 128;
/** Weight of the latest run in the expected speed of the next one. */
const latestShare = 0.25;

/** Fraction of a batch's tokens per run while several owners have texts, so that they wait less for each other. */
const sharedPart = 1 / 4;

interface Offer<S extends Sequence> {
  readonly job: Job<S>;
  readonly item: Item<S>;
}

/**
 * Batches the sequences of all requests. Before every run each owner in turn contributes one text of its requests,
 * round after round, until there are enough for a run; texts of similar length then run together. So a request of one
 * text waits for a run or two, however many texts and requests are queued.
 */
export class SequenceBatcher<S extends Sequence> {
  readonly #encoder: SequenceEncoder<S>;
  readonly #limits: BatchLimits;
  readonly #now: () => number;
  /** The longest-waiting request is first. */
  #jobs: Job<S>[] = [];
  /** Processed tokens. */
  readonly #served = new Shares();
  #isRunning = false;
  /** Tokens per millisecond, padding included, as measured; infinite before the first run. */
  #speed = Infinity;

  constructor(encoder: SequenceEncoder<S>, limits: BatchLimits, now: () => number = () => performance.now()) {
    this.#encoder = encoder;
    this.#limits = limits;
    this.#now = now;
  }

  /** @param options.owner owners take turns */
  encode(
    sequences: readonly S[],
    { signal, owner }: GraphRunOptions & { readonly owner?: string | undefined } = {},
  ): Promise<Float32Array[]> {
    return new Promise((resolve, reject) => {
      const waiting = sequences
        .map((sequence, index) => ({ sequence, index }))
        .sort((a, b) => b.sequence.ids.length - a.sequence.ids.length);
      this.#served.enter(owner, this.#ownersOf());
      this.#jobs.push({ waiting, vectors: [], signal, owner, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    do {
      // Requests and cancellations that arrived during the last run are handled now.
      await setImmediate();
      this.#leave();
      if (this.#jobs.length > 0) await this.#step(this.#chooseBatch());
      this.#leave();
    } while (this.#jobs.length > 0);
    this.#isRunning = false;
  }

  #leave(): void {
    this.#jobs = this.#jobs.filter(({ signal, waiting, vectors, resolve, reject }) => {
      if (signal?.aborted) reject(new InferenceError('cancelled', 'The request was cancelled.'));
      else if (waiting.length === 0) resolve(vectors);
      else return true;
      return false;
    });
    this.#served.settle(new Set(this.#ownersOf()));
  }

  /** Owners with requests, the least served first. */
  #ownersOf(): (string | undefined)[] {
    const owners = [...new Set(this.#jobs.map(({ owner }) => owner))];
    return owners.sort((a, b) => this.#served.of(a) - this.#served.of(b));
  }

  /** Texts of similar length from as many requests as possible, including one of the first owner's first request. */
  #chooseBatch(): Map<Job<S>, Item<S>[]> {
    const offered: Offer<S>[] = [];
    const { maxRows } = this.#limits;
    const owners = this.#ownersOf();
    const [maxMs, part] = owners.length > 1 ? [sliceMs / 2, sharedPart] : [sliceMs, 1];
    const inSlice = Math.max(minTokens, this.#speed * maxMs);
    const maxTokens = Math.ceil(Math.min(part * this.#limits.maxTokens, inSlice));
    const offers = owners.map((owner) => offersOf(this.#jobs.filter((job) => job.owner === owner)));
    for (let tokens = 0; tokens < maxTokens && offered.length < maxRows;) {
      const before = offered.length;
      for (const owner of offers) {
        const { value } = owner.next();
        if (!value || tokens >= maxTokens || offered.length >= maxRows) continue;
        tokens += value.item.sequence.ids.length;
        offered.push(value);
      }
      if (offered.length === before) break;
    }
    const lengths = offered.map(({ item }) => item.sequence.ids.length);
    const bounds = { ...this.#limits, maxTokens: Math.max(lengths[0]!, maxTokens) };
    const batch = partitionByLength(lengths, bounds).find((indices) => indices.includes(0))!;
    const chosen = new Map<Job<S>, Item<S>[]>();
    for (const { job, item } of batch.map((index) => offered[index]!))
      chosen.set(job, [...(chosen.get(job) ?? []), item]);
    return chosen;
  }

  #measure(items: readonly Item<S>[], elapsedMs: number): void {
    const measured = (paddedTokens(items) + this.#limits.batchCost) / Math.max(elapsedMs, 0.1);
    const before = Number.isFinite(this.#speed) ? this.#speed : measured;
    this.#speed = before + latestShare * (measured - before);
  }

  async #step(batch: ReadonlyMap<Job<S>, readonly Item<S>[]>): Promise<void> {
    const items = [...batch.values()].flat();
    const controller = new AbortController();
    const signals = [...batch.keys()].map((job) => job.signal);
    const stopListening = onceAllAborted(signals, () => controller.abort());
    const startedAt = this.#now();
    try {
      const { signal } = controller;
      // Nothing is known of the first run.
      const isKnown = Number.isFinite(this.#speed);
      const isShort = isKnown && this.#jobs.length === 1 && paddedTokens(items) < this.#speed * shortMs;
      const sequences = items.map(({ sequence }) => sequence);
      const vectors = await this.#encoder.encode(sequences, { signal, isShort });
      this.#measure(items, this.#now() - startedAt);
      let at = 0;
      for (const [job, own] of batch) {
        const tokens = own.reduce((sum, { sequence }) => sum + sequence.ids.length, 0);
        this.#served.add(job.owner, tokens);
        for (const { index } of own) job.vectors[index] = vectors[at++]!;
        const done = new Set(own);
        job.waiting = job.waiting.filter((item) => !done.has(item));
      }
      // Requests that were served go to the end.
      this.#jobs = [
        ...this.#jobs.filter((job) => !batch.has(job)),
        ...this.#jobs.filter((job) => batch.has(job)),
      ];
    } catch (error) {
      // Cancelled requests are removed before the next run.
      if (controller.signal.aborted) return;
      for (const job of batch.keys()) job.reject(error);
      this.#jobs = this.#jobs.filter((job) => !batch.has(job));
    } finally {
      stopListening();
    }
  }
}

function paddedTokens(items: readonly Item<Sequence>[]): number {
  return items.length * Math.max(...items.map(({ sequence }) => sequence.ids.length));
}

/** Texts of an owner's requests, one of each in turn. */
function* offersOf<S extends Sequence>(jobs: readonly Job<S>[]): Generator<Offer<S>, undefined> {
  for (let round = 0, offered = true; offered; round++) {
    offered = false;
    for (const job of jobs) {
      const item = job.waiting[round];
      if (!item) continue;
      offered = true;
      yield { job, item };
    }
  }
  return undefined;
}
