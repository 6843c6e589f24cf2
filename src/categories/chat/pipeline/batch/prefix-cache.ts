import { CacheFull, type CacheRow, type Decoder, type DecoderCache } from '../../../../runtime/decoder.ts';

interface Entry {
  readonly tokens: Int32Array;
  readonly owner: string | undefined;
  readonly cache: DecoderCache;
  readonly exact: number;
}

/** The beginning of a prompt that needs no computing. */
export interface SharedPrefix {
  readonly cache: DecoderCache;
  readonly length: number;
  /** Number of first tokens that were computed in the pieces in which a prompt is read anew. */
  readonly exact: number;
}

/**
 * Keys and values of sequences that ended lately, so that the next turn of a conversation, or another one with the
 * same system prompt, computes only what is new. Least recently used sequences go first. Where a decoder can't cut
 * sequences, only whole ones are found. A decoder with a cache of fixed size may keep as much again as that holds. A
 * sequence is found by prompts of its owner alone.
 */
export class PrefixCache {
  readonly #decoder: Decoder;
  readonly #maxSequences: number;
  readonly #maxBytes: number;
  readonly #entries: Entry[] = [];
  #bytes = 0;

  constructor(
    decoder: Decoder,
    { maxSequences, maxBytes }: { readonly maxSequences: number; readonly maxBytes: number },
  ) {
    this.#decoder = decoder;
    this.#maxSequences = maxSequences;
    this.#maxBytes = maxBytes;
  }

  /**
   * The longest beginning that `prompt` shares with a kept sequence, never the whole prompt: its last token has to be
   * fed for its logits.
   *
   * @param options.piece where given, only whole pieces of so many tokens that are exact
   */
  async find(
    prompt: Int32Array,
    { owner, piece }: { readonly owner?: string | undefined; readonly piece?: number | undefined } = {},
  ): Promise<SharedPrefix | undefined> {
    const { best, length } = this.#findBest(prompt, owner, piece);
    if (!best) return undefined;
    this.#entries.splice(this.#entries.indexOf(best), 1);
    this.#entries.push(best);
    try {
      const cache = await this.#decoder.gather([{ cache: best.cache, row: 0, length }]);
      return { cache, length, exact: Math.min(best.exact, length) };
    } catch (error) {
      if (error instanceof CacheFull) return undefined;
      throw error;
    }
  }

  /** Number of tokens of a prompt that `find` would find. */
  sharedTokens(prompt: Int32Array, owner?: string): number {
    return this.#findBest(prompt, owner).length;
  }

  /**
   * Keeps a copy of a row; sequences that it continues are dropped where it can be cut down to them.
   *
   * @param options.exact as in `SharedPrefix`; default 0
   */
  async keep(
    tokens: Int32Array,
    source: CacheRow,
    { owner, exact = 0 }: { readonly owner?: string | undefined; readonly exact?: number } = {},
  ): Promise<void> {
    if (this.#maxSequences === 0) return;
    const cuts = this.#decoder.cutsSequences !== false;
    for (const entry of this.#entriesOf(owner)) {
      const { length } = entry.tokens;
      const isPart = sharedLength(entry.tokens, tokens, length) === length;
      if (isPart && entry.exact <= exact && (cuts || length === tokens.length)) this.#drop(entry);
    }
    const { capacity = 0 } = this.#decoder;
    const cache = await (this.#decoder.keep?.(source) ?? this.#decoder.gather([source]));
    const maxBytes = Math.max(this.#maxBytes, (capacity * cache.bytes) / tokens.length);
    if (cache.bytes > maxBytes) return cache.release();
    this.#entries.push({ tokens, owner, cache, exact });
    this.#bytes += cache.bytes;
    while (this.#entries.length > this.#maxSequences || this.#bytes > maxBytes) this.#drop(this.#entries[0]!);
  }

  #entriesOf(owner: string | undefined): Entry[] {
    return this.#entries.filter((entry) => entry.owner === owner);
  }

  #findBest(
    prompt: Int32Array,
    owner: string | undefined,
    piece?: number,
  ): { readonly best: Entry | undefined; readonly length: number } {
    let best: Entry | undefined;
    let length = 0;
    for (const entry of this.#entriesOf(owner)) {
      const limit = piece === undefined ? Infinity : entry.exact;
      const all = sharedLength(entry.tokens, prompt, Math.min(prompt.length - 1, limit));
      const shared = piece === undefined ? all : all - (all % piece);
      if (this.#decoder.cutsSequences === false && shared < entry.tokens.length) continue;
      if (shared < (entry.cache.leastBeginning ?? 0)) continue;
      // The one of several that was used last is the likeliest to be at hand.
      if (shared > 0 && shared >= length) [best, length] = [entry, shared];
    }
    return { best, length };
  }

  #drop(entry: Entry): void {
    this.#entries.splice(this.#entries.indexOf(entry), 1);
    this.#bytes -= entry.cache.bytes;
    entry.cache.release();
  }
}

function sharedLength(a: Int32Array, b: Int32Array, limit: number): number {
  const end = Math.min(a.length, limit);
  let length = 0;
  while (length < end && a[length] === b[length]) length++;
  return length;
}
