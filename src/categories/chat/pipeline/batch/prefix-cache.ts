import type { CacheRow, Decoder, DecoderCache } from '../../../../contracts/decoder.ts';
import { CacheFull } from '../../../../runtime/cache-full.ts';

/** Owner of prefixes that all callers share. */
const sharedOwner = Symbol('shared');

type Owner = string | undefined | typeof sharedOwner;

interface Entry {
  readonly tokens: Int32Array;
  readonly owner: Owner;
  readonly cache: DecoderCache;
  readonly exact: number;
}

/** A cached prefix of a prompt. */
export interface SharedPrefix {
  readonly cache: DecoderCache;
  readonly length: number;
  /**
   * Number of leading tokens computed in the same pieces as an uncached prompt with a seed: whole pieces, then the piece that
   * ends before the last prompt token.
   */
  readonly exact: number;
}

interface KeepOptions {
  readonly owner?: string | undefined;
  readonly exact?: number;
  /** Number of leading tokens that are also kept for all owners. */
  readonly shared?: number | undefined;
  /** The caller no longer needs the row's cache. */
  readonly isLast?: boolean;
}

/**
 * LRU cache of recent sequences' keys and values, for a conversation's next turn or a shared system prompt. If the decoder can't
 * cut sequences, only whole sequences match. With a fixed-size decoder cache, this one may be as large.
 */
export class PrefixCache {
  readonly #decoder: Decoder;
  readonly #maxSequences: number;
  readonly #defaultMaxBytes: number;
  readonly #entries: Entry[] = [];
  readonly #pieceTokens: number;
  readonly #capacity: number;
  #bytes = 0;

  constructor(
    decoder: Decoder,
    { maxSequences, maxBytes: defaultMaxBytes }: { maxSequences: number; maxBytes: number },
  ) {
    this.#decoder = decoder;
    this.#maxSequences = maxSequences;
    this.#defaultMaxBytes = defaultMaxBytes;
    const { pieceTokens = 1, capacity = 0 } = decoder;
    this.#pieceTokens = pieceTokens;
    this.#capacity = capacity;
  }

  /** Never the whole prompt: its last token has to be fed for its logits. */
  async find(
    prompt: Int32Array,
    { owner, exactly, room }: { owner?: string | undefined; exactly?: boolean; room?: number } = {},
  ): Promise<SharedPrefix | undefined> {
    const { best, length } = this.#findBest(prompt, owner, exactly);
    if (!best) return undefined;
    this.#entries.splice(this.#entries.indexOf(best), 1);
    this.#entries.push(best);
    try {
      const cache = await this.#decoder.gather([{ cache: best.cache, row: 0, length }], undefined, room);
      return { cache, length, exact: this.#exactOf(best, length) };
    } catch (error) {
      if (error instanceof CacheFull) return undefined;
      throw error;
    }
  }

  /** Number of prompt tokens that `find` would reuse. */
  sharedTokens(prompt: Int32Array, owner?: string): number {
    return this.#findBest(prompt, owner).length;
  }

  /** Keeps a copy of a row, or its cache if `isLast`; drops sequences that it extends. */
  async keep(
    tokens: Int32Array,
    source: CacheRow,
    { owner, exact = 0, shared = 0, isLast = false }: KeepOptions = {},
  ): Promise<boolean> {
    if (this.#maxSequences === 0) return false;
    const cuts = this.#decoder.cutsSequences !== false;
    for (const entry of this.#entries.filter((kept) => kept.owner === owner)) {
      const { length } = entry.tokens;
      const isPart = sharedLength(entry.tokens, tokens, length) === length;
      if (isPart && entry.exact <= exact && (cuts || length === tokens.length)) this.#drop(entry);
    }
    const isTaken = await this.#add({ tokens, owner, exact }, source, isLast);
    if (shared === 0) return isTaken;
    const beginning = tokens.subarray(0, shared);
    const isKept = this.#entries.some(
      (entry) => entry.tokens.length === shared && isShared(entry, beginning),
    );
    if (isKept) return isTaken;
    const own = {
      tokens: beginning.slice(),
      owner: sharedOwner,
      exact: this.#exactOf({ exact }, shared),
    } as const;
    await this.#add(own, { ...source, length: shared });
    return isTaken;
  }

  /** @returns whether the source's own cache is kept */
  async #add(sequence: Omit<Entry, 'cache'>, source: CacheRow, isLast = false): Promise<boolean> {
    const cache = await (this.#decoder.keep?.(source, isLast) ?? this.#decoder.gather([source]));
    const isOwn = isLast && cache === source.cache;
    const maxBytes = Math.max(this.#defaultMaxBytes, (this.#capacity * cache.bytes) / sequence.tokens.length);
    if (cache.bytes > maxBytes) {
      if (!isOwn) cache.release();
      return false;
    }
    this.#entries.push({ ...sequence, cache });
    this.#bytes += cache.bytes;
    while (this.#entries.length > this.#maxSequences || this.#bytes > maxBytes) this.#drop(this.#entries[0]!);
    return isOwn;
  }

  #findBest(
    prompt: Int32Array,
    owner: string | undefined,
    exactly = false,
  ): { readonly best: Entry | undefined; readonly length: number } {
    let best: Entry | undefined;
    let length = 0;
    for (const entry of this.#entries) {
      if (entry.owner !== owner && !isShared(entry, prompt)) continue;
      const all = sharedLength(entry.tokens, prompt, prompt.length - 1);
      const shared = exactly ? this.#piecesOf(entry, all, prompt) : all;
      if (this.#decoder.cutsSequences === false && shared < entry.tokens.length) continue;
      if (shared < (entry.cache.minBeginning ?? 0)) continue;
      // On a tie, prefer the latest: it is the likeliest to be in memory.
      if (shared > 0 && shared >= length) [best, length] = [entry, shared];
    }
    return { best, length };
  }

  /** Tokens of `prompt` in exact pieces of an entry that shares its first `length` tokens. */
  #piecesOf(entry: Entry, length: number, prompt: Int32Array): number {
    const exact = this.#exactOf(entry, length);
    return exact === prompt.length - 1 ? exact : exact - (exact % this.#pieceTokens);
  }

  /** The exact part of a prefix of `length` tokens. */
  #exactOf({ exact }: Pick<Entry, 'exact'>, length: number): number {
    return length >= exact ? exact : length - (length % this.#pieceTokens);
  }

  #drop(entry: Entry): void {
    this.#entries.splice(this.#entries.indexOf(entry), 1);
    this.#bytes -= entry.cache.bytes;
    entry.cache.release();
  }
}

/** Shared entries match only as a whole, so a partial match reveals nothing about the rest. */
function isShared({ owner, tokens }: Entry, prompt: Int32Array): boolean {
  return owner === sharedOwner && sharedLength(tokens, prompt) === tokens.length;
}

function sharedLength(a: Int32Array, b: Int32Array, limit = b.length): number {
  const end = Math.min(a.length, limit);
  let length = 0;
  while (length < end && a[length] === b[length]) length++;
  return length;
}
