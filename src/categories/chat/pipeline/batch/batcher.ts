import type { CacheRow, Decoder, DecoderCache } from '../../../../contracts/decoder.ts';
import { CacheFull } from '../../../../runtime/cache-full.ts';
import { InferenceError } from '../../../../errors.ts';
import { FairQueue } from '../../../../concurrency/fair-queue.ts';
import { Shares } from '../../../../core/shares.ts';
import { onceAllAborted } from '../../../../runtime/all-aborted.ts';
import { createDrafter, type Drafter } from './drafter.ts';
import type { PrefixCache } from './prefix-cache.ts';
import { chooseToken, forwardStep, rowOf, type Continuation, type StepLogits } from './step-logits.ts';

/** A prompt and the sequences that continue it; they share one prefill and one batch. */
export interface Generation {
  readonly prompt: Int32Array;
  /** Tokens that its sequences may come to, the prompt counted once. */
  readonly mostTokens: number;
  readonly continuations: readonly Continuation[];
  /**
   * Whether it must be computed in the same shapes every time, since those reach the last bits of the logits: in a batch of
   * its own, reusing only what was computed in the same pieces.
   */
  readonly reproducible: boolean;
  /** Whether the last token of its prompt is read by itself, as that of a reproducible one and of one in the cache is. */
  readonly endsAlone?: boolean | undefined;
  /** Owners take turns. */
  readonly owner?: string | undefined;
  /** Owner of the prompt, whose beginning is shared with others of the same one. */
  readonly prefixOwner?: string | undefined;
  /** Number of first tokens that are shared with all owners; default 0. */
  readonly shared?: number | undefined;
  /**
   * Takes the logits after each token of a piece of the prompt, `[tokens × vocabularySize]`, valid during the call; such a
   * prompt is read from its beginning, by itself and in small pieces. Only where the decoder has `forwardAll`.
   */
  readonly readLogits?: ((logits: Float32Array, start: number) => void) | undefined;
  /** Looked at before every step. */
  readonly cancelled: boolean;
  /** Ends the step under way when it is for cancelled generations alone. */
  readonly signal?: AbortSignal | undefined;
  /** @param cachedTokens how many tokens of the prompt needed no computing */
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
  /** As in `SharedPrefix`. */
  readonly exact: number;
  /** Present after a step in which the row was alone. */
  drafter?: Drafter;
}

interface Batch {
  cache: DecoderCache;
  rows: Row[];
  readonly open: boolean;
}

/** Prompts that are read together, one a row. */
interface Prefill {
  /** Several only where all of them are read in one step. */
  readonly generations: readonly Generation[];
  readonly cache: DecoderCache;
  readonly cachedTokens: number;
  done: number;
  /** As in `SharedPrefix`. */
  exact: number;
}

/**
 * Tokens of one prefill step, unless the decoder wants fewer, and about as many of the prompts that are read between two
 * steps of the running batches: few enough that running generations and cancellations don't wait long.
 */
const prefillTokens = 256;
/** Tokens of an answer for which there is room from the beginning: a cache that grows is copied. */
const expectedAnswerTokens = 256;
/** A prompt of which a smaller part was computed before is read together with others. */
const minSharedPart = 1 / 4;
/** Sequences of all owners at once, in batches: their caches are in memory. */
const maxBatches = 10;
/** Logits of one step of a prompt whose logits are read: 16 MiB. */
const maxLogits = 2 ** 22;
/** Tokens of prompts that are read together in one step, padding included. */
const sharedPrefillTokens = 512;
/** Tokens of a step of prompts without a seed while several owners have generations, so that they wait less for each other. */
const fairPrefillTokens = 64;

export interface BatcherOptions {
  /** Sequences per batch, and of each owner at once, unless one prompt has more. */
  readonly maxRows: number;
  readonly prefixes: PrefixCache;
  readonly speculates?: boolean | undefined;
  /** Milliseconds, by which owners take turns. */
  readonly now?: () => number;
}

/**
 * Steps all generations of a decoder together: waiting prompts are prefilled in pieces between the steps, and
 * sequences join and leave the running batch as they begin and end. Owners take turns: at beginning, at the pieces of their
 * prompts, and at the steps of their batches.
 */
export class Batcher {
  readonly #decoder: Decoder;
  readonly #maxRows: number;
  readonly #prefixes: PrefixCache;
  readonly #speculates: boolean;
  readonly #waiting = new FairQueue<Generation>();
  readonly #active = new Set<Generation>();
  /** One of each owner at most, the next first. */
  readonly #prefills: Prefill[] = [];
  #batches: Batch[] = [];
  /** Milliseconds of the decoder. */
  readonly #shares = new Shares();
  readonly #now: () => number;
  #running: Promise<void> | undefined;
  steps = 0;

  constructor(
    decoder: Decoder,
    { maxRows, prefixes, speculates = false, now = () => performance.now() }: BatcherOptions,
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
    // Requests that arrive together are read together.
    await new Promise(setImmediate);
    while (this.#prefills.length > 0 || this.#waiting.size > 0 || this.#batches.length > 0) {
      // Short prompts that wait are read one after the other: a step of the others between two of them would delay both.
      for (let read = 0; read < prefillTokens;) {
        await this.#begin();
        const prefill = this.#nextPrefill();
        if (!prefill) break;
        const since = this.#now();
        read += await this.#continue(prefill);
        const owners = prefill.generations.map(({ owner }) => owner);
        this.#charge(owners, since);
      }
      await this.#stepAll();
    }
    if (this.#active.size === 0) this.#waiting.settle();
    this.#running = undefined;
  }

  /** Steps every batch; where there are several owners, as many that each has had a step. */
  async #stepAll(): Promise<void> {
    const owners = new Set(this.#batches.flatMap(ownersOf));
    const isShared = owners.size > 1;
    const [stepped, left]: [Batch[], Batch[]] = [[], []];
    for (const batch of this.#batches) {
      const own = ownersOf(batch);
      if (isShared && !own.some((owner) => owners.has(owner))) left.push(batch);
      else {
        const since = this.#now();
        await this.#step(batch);
        this.#charge(own, since);
        stepped.push(batch);
        for (const owner of own) owners.delete(owner);
      }
    }
    this.#batches = [...left, ...stepped].filter(({ rows }) => rows.length > 0);
  }

  /** Notes the time of some work as that of the owners of its rows. */
  #charge(owners: readonly Owner[], since: number): void {
    for (const owner of owners) this.#shares.add(owner, (this.#now() - since) / owners.length);
    this.#shares.settle(this.#owners);
  }

  /** The prompt of the owner who has had least; none while answers of others who have had less wait for a step. */
  #nextPrefill(): Prefill | undefined {
    const hadBy = (owner: Owner) => this.#shares.of(owner);
    const of = ({ generations }: Prefill) => hadBy(generations[0]!.owner);
    const [next] = this.#prefills.toSorted((a, b) => of(a) - of(b));
    if (!next || this.#batches.some((batch) => ownersOf(batch).some((owner) => hadBy(owner) < of(next))))
      return undefined;
    return this.#prefills.splice(this.#prefills.indexOf(next), 1)[0];
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

  /** Begins to read the next prompt that waits, if there is one with room whose owner has no other under way. */
  async #begin(): Promise<void> {
    for (const waiting of this.#waiting) {
      if (waiting.cancelled && this.#waiting.delete(waiting)) waiting.ended();
    }
    let isFull = false;
    const generation = this.#waiting.take((next) => {
      // Small ones must not take the room for which a large one waits.
      isFull ||= !this.#fits(next);
      return !isFull && this.#mayBegin(next) && !this.#isReading(next);
    });
    if (!generation) return;
    this.#activate(generation);
    const generations = [generation, ...this.#takeAlike(generation)] as const;
    try {
      this.#prefills.push(await this.#open(generations));
    } catch (error) {
      for (const each of generations) this.#failed(each, error);
    }
  }

  /** One that is read alone begins with what was computed before. */
  async #open(generations: readonly [Generation, ...Generation[]]): Promise<Prefill> {
    const [{ prompt, reproducible, prefixOwner: owner, readLogits }] = generations;
    /** Tokens that one of the sequences will probably come to. */
    const room = Math.max(
      ...generations.map((one) => Math.min(one.mostTokens, one.prompt.length + expectedAnswerTokens)),
    );
    const isNew = readLogits || (reproducible && this.#decoder.pieceTokens === undefined);
    const shared =
      generations.length === 1 && !isNew
        ? await this.#prefixes.find(prompt, { owner, exactly: reproducible, room })
        : undefined;
    const cache = shared?.cache ?? this.#decoder.createCache(generations.length, room);
    const { length = 0, exact = 0 } = shared ?? {};
    return { generations, cache, cachedTokens: length, done: length, exact };
  }

  /** Whether a cache of fixed size holds all that a generation may come to; one that is alone may try. */
  #fits({ mostTokens }: Generation): boolean {
    const { capacity = Infinity } = this.#decoder;
    let reserved = 0;
    for (const active of this.#active) reserved += active.mostTokens;
    return reserved === 0 || reserved + mostTokens <= capacity;
  }

  /** Whether the owner of a generation has a batch's worth of sequences with it at most, unless it is its only, and all have some. */
  #mayBegin({ owner, continuations: { length } }: Generation): boolean {
    const active = [...this.#active];
    const all = rowsOf(active);
    const own = rowsOf(active.filter((other) => other.owner === owner));
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

  /** Takes waiting prompts of about the same length that can be read in the same step, so that little of it is padding. */
  #takeAlike(generation: Generation): readonly Generation[] {
    const taken: Generation[] = [];
    const { prompt } = generation;
    if (!this.#decoder.raggedPrompts || prompt.length > prefillTokens || this.#isAlone(generation))
      return taken;
    let longest = prompt.length;
    let shortest = prompt.length;
    for (const other of this.#waiting) {
      const { length } = other.prompt;
      const most = Math.max(longest, length);
      const least = Math.min(shortest, length);
      const isFair = this.#isShared(other.owner);
      const together = isFair ? fairPrefillTokens : sharedPrefillTokens;
      const fits = most <= prefillTokens && most <= 2 * least && most * (taken.length + 2) <= together;
      if (!fits || taken.length + 1 >= this.#maxRows || this.#isAlone(other)) continue;
      if (!this.#fits(other) || !this.#mayBegin(other)) continue;
      [longest, shortest] = [most, least];
      taken.push(other);
      this.#activate(other);
    }
    for (const other of taken) this.#waiting.delete(other);
    return taken;
  }

  /** Whether a prompt is read by itself: for its seed or its logits, or because most of it needs no computing. */
  #isAlone({ prompt, reproducible, readLogits, prefixOwner: owner }: Generation): boolean {
    if (reproducible || readLogits) return true;
    return this.#prefixes.sharedTokens(prompt, owner) > minSharedPart * prompt.length;
  }

  /** @returns how many tokens were read, padding included */
  async #continue(prefill: Prefill): Promise<number> {
    const { generations, cache } = prefill;
    try {
      if (generations.every(({ cancelled }) => cancelled)) {
        cache.release();
        for (const generation of generations) this.#ended(generation);
        return 0;
      }
      const most = this.#maxOf(prefill);
      const pieces = generations.map(({ prompt }) => prompt.subarray(prefill.done, prefill.done + most));
      const counts = pieces.map(({ length }) => length);
      const count = Math.max(...counts);
      const isLast = generations.every(({ prompt }) => prefill.done + count >= prompt.length);
      const choosing = isLast ? generations.flatMap(({ continuations }) => continuations) : [];
      const tokens = new Int32Array(pieces.length * count);
      for (const [row, piece] of pieces.entries()) tokens.set(piece, row * count);
      const step = { tokens, count, counts };
      const logits = await this.#interruptible(generations, () =>
        generations[0]!.readLogits
          ? this.#readAll(generations[0]!, cache, pieces[0]!)
          : forwardStep(this.#decoder, cache, step, choosing),
      );
      this.steps++;
      if (this.#isExact(prefill, count)) prefill.exact += count;
      prefill.done += count;
      if (generations.some(({ prompt }) => prefill.done < prompt.length)) this.#prefills.push(prefill);
      else await this.#endPrompts(prefill, logits);
      return count * generations.length;
    } catch (error) {
      // They leave before the next step.
      if (generations.every(({ cancelled }) => cancelled)) this.#prefills.push(prefill);
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

  /** Tokens of the next piece. */
  #maxOf({ generations, done }: Prefill): number {
    const { readsWholePrompts, pieceTokens = prefillTokens } = this.#decoder;
    if (readsWholePrompts) return Infinity;
    const { prompt, reproducible, endsAlone, readLogits, owner } = generations[0]!;
    if (generations.length > 1) return prefillTokens;
    const left = prompt.length - done;
    const fair = !reproducible && this.#isShared(owner) ? fairPrefillTokens : pieceTokens;
    const read = readLogits ? Math.ceil(maxLogits / this.#decoder.vocabularySize) : pieceTokens;
    const most = Math.min(pieceTokens, fair, read);
    const isAlone = (reproducible || endsAlone === true) && this.#decoder.pieceTokens !== undefined;
    return isAlone && left > 1 ? Math.min(most, left - 1) : most;
  }

  /** Whether a piece that was just read is one of those in which a prompt with a seed is read anew. */
  #isExact({ generations, done, exact }: Prefill, count: number): boolean {
    const { pieceTokens } = this.#decoder;
    if (pieceTokens === undefined || generations.length > 1 || exact !== done || done % pieceTokens !== 0)
      return false;
    const { prompt, reproducible } = generations[0]!;
    return count === pieceTokens || (reproducible && done + count === prompt.length - 1);
  }

  /** Chooses the first tokens, and lets the sequences that go on join a batch. */
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
      sources.push(...first.map(() => ({ cache, row })));
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
    await this.#leave(batch, new Set(batch.rows.filter(({ generation }) => generation.cancelled)));
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

  /** Guesses how a row that is alone continues. */
  #draft([row, ...others]: readonly Row[]): Int32Array {
    if (!this.#speculates || !row || others.length > 0) return new Int32Array(0);
    row.drafter ??= createDrafter([...row.generation.prompt, ...row.fed, row.token]);
    return row.drafter.draft(row.continuation.remaining - 1);
  }

  /** Feeds guesses with the token of the only row; those that its continuation doesn't choose itself are taken back. */
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

  /** Runs a step of all rows of a batch. @returns nothing where it failed, or nobody wants it any more */
  async #feed<Result>(batch: Batch, step: () => Promise<Result>): Promise<Result | undefined> {
    const generations = batch.rows.map(({ generation }) => generation);
    try {
      return await this.#interruptible(generations, step);
    } catch (error) {
      const isWanted = generations.some(({ cancelled }) => !cancelled);
      const failures = new Map(generations.map((generation) => [generation, error]));
      if (isWanted) await this.#leave(batch, new Set(), failures);
      return undefined;
    }
  }

  /** Ends a step of the decoder as soon as nobody wants it any more. */
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

  /**
   * Takes rows out of a batch that are over, and those of generations that failed. Generations that have none left have ended;
   * what they computed is kept.
   */
  async #leave(
    batch: Batch,
    over: ReadonlySet<Row>,
    failures: ReadonlyMap<Generation, unknown> = new Map(),
  ): Promise<void> {
    if (over.size + failures.size === 0) return;
    for (const [generation, error] of failures) this.#failed(generation, error);
    const leaving = new Set(batch.rows.filter((row) => over.has(row) || failures.has(row.generation)));
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

  /** The last rows take the places of those that leave. */
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

function rowsOf(generations: readonly Generation[]): number {
  return generations.reduce((sum, { continuations }) => sum + continuations.length, 0);
}

function ownersOf({ rows }: Batch): Owner[] {
  return rows.map(({ generation }) => generation.owner);
}
