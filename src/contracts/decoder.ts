import type { LargestLogits } from '../core/sampling/largest-logits.ts';

/** Keys and values of a batch of sequences, private to the decoder. */
export interface DecoderCache {
  readonly rows: number;
  readonly lengths: Int32Array;
  readonly bytes: number;
  /** Prefixes with fewer tokens take longer to copy than to compute; default 0. */
  readonly minBeginning?: number;
  release(): void;
}

export interface CacheRow<Cache extends DecoderCache = DecoderCache> {
  readonly cache: Cache;
  readonly row: number;
  /** Number of leading tokens to take; default: all. */
  readonly length?: number;
}

export interface StepInputs {
  /** `[rows × count × hiddenSize]`, in place of the tokens; valid during the call */
  readonly embeddings?: Float32Array;
  /** `[rows × count × layerSize]`, in addition to `embeddings` */
  readonly layerEmbeddings?: Float32Array;
  /** `[3 × rows × count]`: frames, rows and columns of images; text repeats the same number three times. */
  readonly positions?: Int32Array;
}

export interface Decoder<Cache extends DecoderCache = DecoderCache> {
  readonly vocabularySize: number;
  /** Size of embeddings that replace tokens; `undefined` if the graph takes tokens. */
  readonly hiddenSize?: number | undefined;
  /** Size of the additional embeddings of all layers, if the graph takes them. */
  readonly layerSize?: number | undefined;
  /** The graph takes positions of frames, rows and columns. */
  readonly hasGridPositions?: boolean;
  /** Rows of different lengths may share a cache. */
  readonly ragged: boolean;
  /** Prompts of different lengths can be read together, padded on the right, into an empty cache. */
  readonly raggedPrompts: boolean;
  /** Max tokens in all caches together, if fixed. */
  readonly capacity?: number;
  /** Sequences can be truncated; default true. */
  readonly cutsSequences?: boolean;
  /** A prompt must be read in one piece; default false. */
  readonly readsWholePrompts?: boolean;
  /** Later requests may reuse computed prompts; default true. */
  readonly keepsPrefixes?: boolean;
  /** Piece size for prompts, if logits depend only on the tokens and their split into pieces, so that gathered rows continue bit-identically. */
  readonly pieceTokens?: number | undefined;
  /** @param rows empty sequences; default 1 @param room tokens to allocate per row; more can be appended */
  createCache(rows?: number, room?: number): Cache;
  /** Copies rows into one cache. @param replaced is released; rows that keep their position need no copy @param room as in `createCache` */
  gather(rows: readonly CacheRow<Cache>[], replaced?: Cache, room?: number): Promise<Cache>;
  /**
   * `gather` of one row, for a copy that is only gathered later.
   * @param isLast the row's cache may become the result; otherwise it stays unchanged
   */
  keep?(row: CacheRow<Cache>, isLast?: boolean): Promise<Cache>;
  /**
   * Appends tokens to every row of `cache`.
   *
   * @param tokens `[rows × count]` token ids
   * @param counts tokens per row, the rest is padding; default `count`
   * @returns `[rows × vocabularySize]` logits of each row's last token; valid until the next call
   */
  forward(
    cache: Cache,
    tokens: Int32Array,
    count: number,
    counts?: readonly number[],
    inputs?: StepInputs,
  ): Promise<Float32Array>;
  /** `forward` of one row, with the logits after each token. @returns `[tokens × vocabularySize]`; valid until the next call */
  forwardAll?(cache: Cache, tokens: Int32Array, inputs?: StepInputs): Promise<Float32Array>;
  /** Like `forward`, but copies only the graph's top logits and requested rows from the device. */
  forwardLargest?(
    cache: Cache,
    tokens: Int32Array,
    count: number,
    counts?: readonly number[],
  ): Promise<RemoteLogits>;
  /** Bus traffic, if the caches are on a different device. */
  readonly traffic?: DecoderTraffic;
  /**
   * Appends tokens to the only row of `cache` and rolls back unaccepted tokens.
   * @param accept receives the logits `[tokens × vocabularySize]`, valid during the call, and returns the number of tokens to
   * keep
   */
  verify?(cache: Cache, tokens: Int32Array, accept: (logits: Float32Array) => number): Promise<void>;
  /** Aborts the step in progress, if the runtime can; its cache is then unchanged. */
  interrupt?(): void;
  release(): Promise<void>;
}

/** Logits on a different device, valid until the next step. */
export interface RemoteLogits {
  largest(row: number): LargestLogits;
  /** Fetches a row, `[vocabularySize]`; valid until the next call. */
  all(row: number): Promise<Float32Array>;
}

/** Totals since the decoder was opened. */
export interface DecoderTraffic {
  /** Both directions. */
  readonly bytes: number;
  /** Rows of all forward passes. */
  readonly rowSteps: number;
}
