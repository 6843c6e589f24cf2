import type { CacheRow, Decoder, DecoderCache } from '../../../../contracts/decoder.ts';
import { CacheFull } from '../../../../runtime/cache-full.ts';
import { InferenceError } from '../../../../errors.ts';
import { FairQueue } from '../../../../concurrency/fair-queue.ts';
import { Shares } from '../../../../core/shares.ts';
import { onceAllAborted } from '../../../../runtime/all-aborted.ts';
import { createDrafter, type Drafter } from './drafter.ts';
import type { PrefixCache } from './prefix-cache.ts';
import { chooseToken, forwardStep, rowOf, type Continuation, type StepLogits } from './step-logits.ts';

/** A prompt and the sequences that continue it. */
export interface Generation {
  readonly prompt: Int32Array;
  /** Max total tokens of its sequences, the prompt counted once. */
  readonly maxTotalTokens: number;
  readonly continuations: readonly Continuation[];
  /** Compute in the same shapes every time, since they affect the last bits of the logits: separate batch, same pieces. */
  readonly reproducible: boolean;
  /** Read the last prompt token in a separate step, as reproducible and cached prompts do. */
  readonly endsAlone?: boolean | undefined;
  /** Owners take turns. */
  readonly owner?: string | undefined;
  /** Prefixes are shared within this owner. */
  readonly prefixOwner?: string | undefined;
  /** Number of leading tokens that all owners share; default 0. */
  readonly shared?: number | undefined;
  /**
   * Receives the logits after each token of a prompt piece, `[tokens × vocabularySize]`, valid during the call. Requires
   * `forwardAll`; the prompt is read uncached, alone and in small pieces.
   */
  readonly readLogits?: ((logits: Float32Array, start: number) => void) | undefined;
  readonly cancelled: boolean;
  /** Aborts the running step if all of its generations are cancelled. */
  readonly signal?: AbortSignal | undefined;
  /** @param cachedTokens prompt tokens that were reused from the cache */
  promptEnded(cachedTokens: number): void;
  /** Every continuation has ended, or the generation was cancelled. */
  ended(): void;
  failed(error: unknown): void;
}

type Owner = Generation['owner'];

interface Row {
  readonly generation: Generation;
  readonly continuation: Continuation;
  readonly fed: number[];
  token: number;
  readonly exact: number;
  /** Created after a step in which the row was alone. */
  drafter?: Drafter;
}

interface Batch {
  cache: DecoderCache;
  rows: Row[];
  readonly open: boolean;
}

interface Prefill {
  /** More than one only if a single step reads all of them. */
  readonly generations: readonly Generation[];
  readonly cache: DecoderCache;
  readonly cachedTokens: number;
  done: number;
  exact: number;
}

/** Max tokens of a prefill step and of all prefills between two batch steps: bounds the delay of generations and cancellations. */
const prefillTokens = 256;
/** Answer tokens with reserved cache space: growing a cache copies it. */
const expectedAnswerTokens = 256;
/** Prompts with a smaller cached share are read together. */
const minSharedPart = 1 / 4;
/** Limits memory: each batch holds the caches of its sequences. */
const maxBatches = 10;
/** Max logits of one step of a prompt with `readLogits`: 16 MiB. */
const maxLogits = 2 ** 22;
const sharedPrefillTokens = 512;
/** Smaller pieces while several owners have generations, to shorten their waits. */
const fairPrefillTokens = 64;

export interface BatcherOptions {
  /** Max sequences per batch and per owner, unless a single prompt has more. */
  readonly maxRows: number;
  readonly prefixes: PrefixCache;
  readonly speculates?: boolean | undefined;
  /** Clock in milliseconds, for fairness between owners. */
  readonly now?: () => number;
}

/**
 * Prefills prompts in pieces between decoding steps; sequences join and leave the running batch. Owners take turns at starting,
 * at prompt pieces and at batch steps.
 */
export class Batcher {
  readonly #decoder: Decoder;
  readonly #maxRows: number;
  readonly #prefixes: PrefixCache;
  readonly #speculates: boolean;
  readonly #waiting = new FairQueue<Generation>();
  readonly #active = new Set<Generation>();
  /** Max one per owner, next first. */
  readonly #prefills: Prefill[] = [];
  #batches: Batch[] = [];
  readonly #shares = new Shares();
  readonly #now: () => number;
  #running: Promise<void> | undefined;
  steps = 0;

  constructor(
    decoder: Decoder,
    { maxRows, prefixes, speculates = false, now = performance.now.bind(performance) }: BatcherOptions,
  ) {
    this.#decoder = decoder;
    this.#maxRows = maxRows;
    this.#prefixes = prefixes;
    this.#now = now;
    this.#speculates = speculates && decoder.verify !== undefined;
  }

  add(generation: Generation): void {
    this.#waiting.add(generation, generation.owner, Math.max(1, generation.continuations.length));
    this.#running ??= this.#run();
  }

  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // Let requests of the same tick share a prefill.
    await new Promise(setImmediate);
    while (this.#prefills.length > 0 || this.#waiting.size > 0 || this.#batches.length > 0) {
      // Read waiting short prompts back to back: a decoding step between two of them would delay both.
      for (let read = 0; read < prefillTokens;) {
        await this.#begin();
        const prefill = this.#nextPrefill();
        if (!prefill) break;
        const since = this.#now();
        read += await this.#continue(prefill);
        this.#charge(prefill.generations, since);
      }
      await this.#stepAll();
    }
    if (this.#active.size === 0) this.#waiting.settle();
    this.#running = undefined;
  }

  async #stepAll(): Promise<void> {
    const owners = new Set<Owner>();
    for (const batch of this.#batches) for (const { owner } of generationsOf(batch)) owners.add(owner);
    const isShared = owners.size > 1;
    const [stepped, left]: [Batch[], Batch[]] = [[], []];
    for (const batch of this.#batches) {
      const own = generationsOf(batch);
      if (isShared && !own.some(({ owner }) => owners.has(owner))) left.push(batch);
      else {
        const since = this.#now();
        await this.#step(batch);
        this.#charge(own, since);
        if (batch.rows.length > 0) stepped.push(batch);
        for (const { owner } of own) owners.delete(owner);
      }
    }
    this.#batches = [...left, ...stepped];
  }

  /** Splits the elapsed time among the owners, each row counted. */
  #charge(generations: readonly Generation[], since: number): void {
    for (const { owner } of generations) this.#shares.add(owner, (this.#now() - since) / generations.length);
    this.#shares.settle(this.#owners);
  }

  /** By least decoder time; `undefined` if a running answer's owner had even less. */
  #nextPrefill(): Prefill | undefined {
    let [next, least] = [-1, Infinity];
    for (const [index, { generations }] of this.#prefills.entries()) {
      const had = this.#shares.of(generations[0]!.owner);
      if (had < least) [next, least] = [index, had];
    }
    if (next === -1) return undefined;
    for (const { rows } of this.#batches)
      for (const { generation } of rows) if (this.#shares.of(generation.owner) < least) return undefined;
    return this.#prefills.splice(next, 1)[0];
  }

  get #owners(): Set<Owner> {
    return new Set(Array.from(this.#active, ({ owner }) => owner));
  }

  #isShared(owner: Owner): boolean {
    return this.#owners.add(owner).size > 1;
  }

  #activate(generation: Generation): void {
    this.#shares.enter(generation.owner, this.#owners);
    this.#active.add(generation);
  }

  async #begin(): Promise<void> {
    for (const waiting of this.#waiting) {
      if (waiting.cancelled && this.#waiting.delete(waiting)) waiting.ended();
    }
    let isFull = false;
    const generation = this.#waiting.take((next) => {
      // Small generations must not starve a large one that waits for space.
      isFull ||= !this.#fits(next);
      return !isFull && this.#mayBegin(next) && !this.#isReading(next);
    });
    if (!generation) return;
    this.#activate(generation);
    const generations = [generation, ...this.#takeSimilar(generation)] as const;
    try {
      this.#prefills.push(await this.#open(generations));
    } catch (error) {
      for (const each of generations) this.#failed(each, error);
    }
  }

  /** A prompt that is read alone starts from its cached prefix. */
  async #open(generations: readonly [Generation, ...Generation[]]): Promise<Prefill> {
    const [{ prompt, reproducible, prefixOwner: owner, readLogits }] = generations;
    let room = 0;
    for (const one of generations)
      room = Math.max(room, Math.min(one.maxTotalTokens, one.prompt.length + expectedAnswerTokens));
    const isNew = readLogits || (reproducible && this.#decoder.pieceTokens === undefined);
    const shared =
      generations.length === 1 && !isNew
        ? await this.#prefixes.find(prompt, { owner, exactly: reproducible, room })
        : undefined;
    const cache = shared?.cache ?? this.#decoder.createCache(generations.length, room);
    const { length = 0, exact = 0 } = shared ?? {};
    return { generations, cache, cachedTokens: length, done: length, exact };
  }

  /** Fixed-size caches must hold the max tokens; a lone generation may always try. */
  #fits({ maxTotalTokens }: Generation): boolean {
    const { capacity = Infinity } = this.#decoder;
    let reserved = 0;
    for (const active of this.#active) reserved += active.maxTotalTokens;
    return reserved === 0 || reserved + maxTotalTokens <= capacity;
  }

  /** Limits owners to one batch of sequences, unless there is only one owner. */
  #mayBegin({ owner, continuations: { length } }: Generation): boolean {
    let [all, own] = [0, 0];
    for (const { owner: other, continuations } of this.#active) {
      all += continuations.length;
      if (other === owner) own += continuations.length;
    }
    if (all > 0 && all + length > maxBatches * this.#maxRows) return false;
    return own === 0 || own + length <= this.#maxRows;
  }

  #isReading({ owner }: Generation): boolean {
    return this.#prefills.some(({ generations }) => generations.some((other) => other.owner === owner));
  }

  #ended(generation: Generation): void {
    this.#active.delete(generation);
    generation.ended();
  }

  #failed(generation: Generation, error: unknown): void {
    this.#active.delete(generation);
    const isFull = error instanceof CacheFull;
    generation.failed(isFull ? new InferenceError('overloaded', `${error.message}.`) : error);
  }

  /** Similar lengths keep the padding small. */
  #takeSimilar(generation: Generation): readonly Generation[] {
    const taken: Generation[] = [];
    const { prompt } = generation;
    if (!this.#decoder.raggedPrompts || prompt.length > prefillTokens || this.#isAlone(generation))
      return taken;
    let longest = prompt.length;
    let shortest = prompt.length;
    for (const other of this.#waiting) {
      const { length } = other.prompt;
      const max = Math.max(longest, length);
      const min = Math.min(shortest, length);
      const isFair = this.#isShared(other.owner);
      const together = isFair ? fairPrefillTokens : sharedPrefillTokens;
      const fits = max <= prefillTokens && max <= 2 * min && max * (taken.length + 2) <= together;
      if (!fits || taken.length + 1 >= this.#maxRows || this.#isAlone(other)) continue;
      if (!this.#fits(other) || !this.#mayBegin(other)) continue;
      [longest, shortest] = [max, min];
      taken.push(other);
      this.#activate(other);
    }
    for (const other of taken) this.#waiting.delete(other);
    return taken;
  }

  /** For its seed or its logits, or because most of it is cached. */
  #isAlone({ prompt, reproducible, readLogits, prefixOwner: owner }: Generation): boolean {
    if (reproducible || readLogits) return true;
    return this.#prefixes.sharedTokens(prompt, owner) > minSharedPart * prompt.length;
  }

  async #continue(prefill: Prefill): Promise<number> {
    const { generations, cache } = prefill;
    try {
      if (areCancelled(generations)) {
        cache.release();
        for (const generation of generations) this.#ended(generation);
        return 0;
      }
      const { isLast, ...step } = nextPiece(prefill, this.#maxOf(prefill));
      const { count } = step;
      const choosing = isLast ? generations.flatMap(({ continuations }) => continuations) : [];
      const logits = await this.#interruptible(generations, () =>
        generations[0]!.readLogits
          ? this.#readAll(generations[0]!, cache, step.tokens)
          : forwardStep(this.#decoder, cache, step, choosing),
      );
      this.steps++;
      if (this.#isExact(prefill, count)) prefill.exact += count;
      prefill.done += count;
      if (isLast) await this.#endPrompts(prefill, logits);
      else this.#prefills.push(prefill);
      return count * generations.length;
    } catch (error) {
      // Cancelled generations are removed before the next step.
      if (areCancelled(generations)) this.#prefills.push(prefill);
      else for (const generation of generations) this.#failed(generation, error);
      return 0;
    }
  }

  async #readAll(generation: Generation, cache: DecoderCache, piece: Int32Array): Promise<StepLogits> {
    const start = cache.lengths[0]!;
    const logits = await this.#decoder.forwardAll!(cache, piece);
    generation.readLogits!(logits, start);
    return rowOf(logits, piece.length - 1, this.#decoder.vocabularySize);
  }

  /** Max tokens of the next piece. */
  #maxOf({ generations, done }: Prefill): number {
    const { readsWholePrompts, pieceTokens = prefillTokens } = this.#decoder;
    if (readsWholePrompts) return Infinity;
    const { prompt, reproducible, endsAlone, readLogits, owner } = generations[0]!;
    if (generations.length > 1) return prefillTokens;
    const left = prompt.length - done;
    const fair = !reproducible && this.#isShared(owner) ? fairPrefillTokens : pieceTokens;
    const read = readLogits ? Math.ceil(maxLogits / this.#decoder.vocabularySize) : pieceTokens;
    const max = Math.min(pieceTokens, fair, read);
    const isAlone = (reproducible || endsAlone === true) && this.#decoder.pieceTokens !== undefined;
    return isAlone && left > 1 ? Math.min(max, left - 1) : max;
  }

  /** The piece matches how an uncached prompt with a seed is read. */
  #isExact({ generations, done, exact }: Prefill, count: number): boolean {
    const { pieceTokens } = this.#decoder;
    if (pieceTokens === undefined || generations.length > 1 || exact !== done || done % pieceTokens !== 0)
      return false;
    const { prompt, reproducible } = generations[0]!;
    return count === pieceTokens || (reproducible && done + count === prompt.length - 1);
  }

  /** Samples the first tokens; unfinished sequences join a batch. */
  async #endPrompts({ generations, cache, cachedTokens, exact }: Prefill, logits: StepLogits): Promise<void> {
    const rows: Row[] = [];
    const sources: CacheRow[] = [];
    let isKept = false;
    for (const [row, generation] of generations.entries()) {
      const first: Row[] = [];
      try {
        generation.promptEnded(cachedTokens);
        for (const continuation of generation.continuations) {
          const token = await chooseToken(logits, this.#decoder, continuation, row);
          if (token !== undefined) first.push({ generation, continuation, token, fed: [], exact });
        }
        if (first.length === 0) {
          const { prompt, prefixOwner: owner, shared } = generation;
          const isLast = generations.length === 1;
          isKept = await this.#prefixes.keep(prompt, { cache, row }, { owner, shared, exact, isLast });
          this.#ended(generation);
        }
      } catch (error) {
        this.#failed(generation, error);
        continue;
      }
      rows.push(...first);
      for (let each = 0; each < first.length; each++) sources.push({ cache, row });
    }
    if (rows.length === 0) return isKept ? undefined : cache.release();
    try {
      await this.#join(rows, sources, cache);
    } catch (error) {
      for (const generation of new Set(rows.map((row) => row.generation))) this.#failed(generation, error);
    }
  }

  async #join(rows: Row[], sources: readonly CacheRow[], cache: DecoderCache): Promise<void> {
    const open = this.#decoder.ragged && !rows[0]!.generation.reproducible;
    const host = this.#batches.find(
      (batch) => open && batch.open && batch.rows.length + rows.length <= this.#maxRows,
    );
    if (host) {
      const own = host.rows.map((_, row) => ({ cache: host.cache, row }));
      host.cache = await this.#decoder.gather([...own, ...sources], host.cache);
      host.rows.push(...rows);
      cache.release();
    } else {
      const isSame = rows.length === cache.rows && sources.every(({ row }, index) => row === index);
      const own = isSame ? cache : await this.#decoder.gather(sources, cache);
      this.#batches.push({ cache: own, rows, open });
    }
  }

  async #step(batch: Batch): Promise<void> {
    const cancelled = new Set<Row>();
    for (const row of batch.rows) if (row.generation.cancelled) cancelled.add(row);
    await this.#leave(batch, cancelled);
    const { rows, cache } = batch;
    if (rows.length === 0) return;
    const draft = this.#draft(rows);
    if (draft.length > 0) return this.#verify(batch, draft);
    const tokens = Int32Array.from(rows, ({ token }) => token);
    const continuations = rows.map(({ continuation }) => continuation);
    const logits = await this.#feed(batch, () =>
      forwardStep(this.#decoder, cache, { tokens, count: 1 }, continuations),
    );
    if (!logits) return;
    this.steps++;
    const over = new Set<Row>();
    const failures = new Map<Generation, unknown>();
    for (const [index, row] of rows.entries()) {
      if (failures.has(row.generation)) continue;
      row.fed.push(row.token);
      try {
        const token = await chooseToken(logits, this.#decoder, row.continuation, index);
        if (token === undefined) over.add(row);
        else {
          row.token = token;
          row.drafter?.observe(token);
        }
      } catch (error) {
        failures.set(row.generation, error);
      }
    }
    await this.#leave(batch, over, failures);
  }

  #draft([row, ...others]: readonly Row[]): Int32Array {
    if (!this.#speculates || !row || others.length > 0) return new Int32Array(0);
    row.drafter ??= createDrafter([...row.generation.prompt, ...row.fed, row.token]);
    return row.drafter.draft(row.continuation.remaining - 1);
  }

  /** Rolls back the drafted tokens that the continuation rejects. */
  async #verify(batch: Batch, draft: Int32Array): Promise<void> {
    const row = batch.rows[0]!;
    const { continuation, fed, drafter } = row;
    const tokens = Int32Array.of(row.token, ...draft);
    let isOver = false;
    const accept = (logits: Float32Array): number => {
      this.steps++;
      for (let kept = 1; ; kept++) {
        fed.push(row.token);
        const token = continuation.next(rowOf(logits, kept - 1, this.#decoder.vocabularySize));
        isOver = token === undefined;
        if (token === undefined) return kept;
        row.token = token;
        drafter!.observe(token);
        if (token !== tokens[kept]) return kept;
      }
    };
    const hasEnded = await this.#feed(batch, async () => {
      await this.#decoder.verify!(batch.cache, tokens, accept);
      return isOver;
    });
    if (hasEnded) await this.#leave(batch, new Set([row]));
  }

  async #feed<Result>(batch: Batch, step: () => Promise<Result>): Promise<Result | undefined> {
    const generations = generationsOf(batch);
    try {
      return await this.#interruptible(generations, step);
    } catch (error) {
      const failures = new Map(generations.map((generation) => [generation, error]));
      if (!areCancelled(generations)) await this.#leave(batch, new Set(), failures);
      return undefined;
    }
  }

  /** Aborts a decoder step once all its generations are cancelled. */
  async #interruptible<Result>(
    generations: readonly Generation[],
    step: () => Promise<Result>,
  ): Promise<Result> {
    const signals = generations.map(({ signal }) => signal);
    const stopListening = onceAllAborted(signals, () => this.#decoder.interrupt?.());
    try {
      return await step();
    } finally {
      stopListening();
    }
  }

  async #leave(
    batch: Batch,
    over: ReadonlySet<Row>,
    failures: ReadonlyMap<Generation, unknown> = new Map(),
  ): Promise<void> {
    if (over.size + failures.size === 0) return;
    for (const [generation, error] of failures) this.#failed(generation, error);
    const leaving = new Set(over);
    for (const row of batch.rows) if (failures.has(row.generation)) leaving.add(row);
    const left = new Set<Generation>();
    const isLast = batch.rows.length === 1;
    let isKept = false;
    for (const [row, { generation, fed, exact }] of batch.rows.entries()) {
      if (!leaving.has(batch.rows[row]!) || left.has(generation) || failures.has(generation)) continue;
      left.add(generation);
      const { prompt, prefixOwner: owner, shared } = generation;
      const tokens = Int32Array.from([...prompt, ...fed]);
      const source = { cache: batch.cache, row };
      isKept = await this.#prefixes.keep(tokens, source, { owner, shared, exact, isLast });
    }
    if (isKept) batch.rows = [];
    else await this.#remove(batch, leaving);
    for (const { generation } of batch.rows) left.delete(generation);
    for (const generation of left) this.#ended(generation);
  }

  /** Moves the last rows into the gaps. */
  async #remove(batch: Batch, leaving: ReadonlySet<Row>): Promise<void> {
    const { cache } = batch;
    const kept = batch.rows.length - leaving.size;
    const order = Array.from({ length: kept }, (_, row) => row);
    const last = batch.rows.flatMap((row, index) => (index >= kept && !leaving.has(row) ? [index] : []));
    for (let row = 0; row < kept; row++) if (leaving.has(batch.rows[row]!)) order[row] = last.pop()!;
    batch.rows = order.map((row) => batch.rows[row]!);
    if (kept === 0) return cache.release();
    batch.cache = await this.#decoder.gather(
      order.map((row) => ({ cache, row })),
      cache,
    );
  }
}

/** The next tokens of each prompt, at most `max`. */
function nextPiece({ generations, done }: Prefill, max: number) {
  let left = 0;
  for (const { prompt } of generations) left = Math.max(left, prompt.length - done);
  const count = Math.min(left, max);
  const counts: number[] = [];
  const tokens = new Int32Array(generations.length * count);
  for (const [row, { prompt }] of generations.entries()) {
    const piece = prompt.subarray(done, done + count);
    counts.push(piece.length);
    tokens.set(piece, row * count);
  }
  return { tokens, count, counts, isLast: count === left };
}

function areCancelled(generations: readonly Generation[]): boolean {
  for (const { cancelled } of generations) if (!cancelled) return false;
  return true;
}

/** One for each row. */
function generationsOf({ rows }: Batch): Generation[] {
  return rows.map(({ generation }) => generation);
}
