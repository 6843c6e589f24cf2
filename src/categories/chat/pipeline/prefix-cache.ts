import type { CacheRow, Decoder, DecoderCache } from '../../../runtime/decoder.ts';

interface Entry {
  readonly tokens: Int32Array;
  readonly owner: string | undefined;
  readonly cache: DecoderCache;
}

/** The beginning of a prompt that needs no computing. */
export interface SharedPrefix {
  readonly cache: DecoderCache;
  readonly length: number;
}

/**
 * Keys and values of sequences that ended lately, so that the next turn of a conversation, or another one with the
 * same system prompt, computes only what is new. Least recently used sequences go first. Where a decoder can't cut
 * sequences, only whole ones are found. A sequence is found by prompts of its owner alone.
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
   */
  async find(prompt: Int32Array, owner?: string): Promise<SharedPrefix | undefined> {
    const { best, length } = this.#findBest(prompt, owner);
    if (!best) return undefined;
    this.#entries.splice(this.#entries.indexOf(best), 1);
    this.#entries.push(best);
    return { cache: await this.#decoder.gather([{ cache: best.cache, row: 0, length }]), length };
  }

  /** Number of tokens of a prompt that `find` would find. */
  sharedTokens(prompt: Int32Array, owner?: string): number {
    return this.#findBest(prompt, owner).length;
  }

  /** Keeps a copy of a row; sequences that it continues are dropped where it can be cut down to them. */
  async keep(tokens: Int32Array, source: CacheRow, owner?: string): Promise<void> {
    if (this.#maxSequences === 0) return;
    const cuts = this.#decoder.cutsSequences !== false;
    for (const entry of this.#entriesOf(owner)) {
      const { length } = entry.tokens;
      const isPart = sharedLength(entry.tokens, tokens, length) === length;
      if (isPart && (cuts || length === tokens.length)) this.#drop(entry);
    }
    const cache = await this.#decoder.gather([source]);
    if (cache.bytes > this.#maxBytes) return cache.release();
    this.#entries.push({ tokens, owner, cache });
    this.#bytes += cache.bytes;
    while (this.#entries.length > this.#maxSequences || this.#bytes > this.#maxBytes)
      this.#drop(this.#entries[0]!);
  }

  /** @returns false where nothing was kept */
  dropOldest(): boolean {
    const [oldest] = this.#entries;
    if (oldest) this.#drop(oldest);
    return oldest !== undefined;
  }

  #entriesOf(owner: string | undefined): Entry[] {
    return this.#entries.filter((entry) => entry.owner === owner);
  }

  #findBest(
    prompt: Int32Array,
    owner: string | undefined,
  ): { readonly best: Entry | undefined; readonly length: number } {
    let best: Entry | undefined;
    let length = 0;
    for (const entry of this.#entriesOf(owner)) {
      const shared = sharedLength(entry.tokens, prompt, prompt.length - 1);
      if (this.#decoder.cutsSequences === false && shared < entry.tokens.length) continue;
      if (shared > length) [best, length] = [entry, shared];
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
