import type { LargestLogits } from '../core/sampling/largest-logits.ts';

/** Keys and values of a batch of sequences; their place and layout are private to the decoder that made them. */
export interface DecoderCache {
  readonly rows: number;
  /** Tokens of each row. */
  readonly lengths: Int32Array;
  readonly bytes: number;
  /** Tokens below which a beginning of a kept sequence takes longer to copy than to compute; default 0. */
  readonly minBeginning?: number;
  /** Gives its memory back; nothing of it may be used afterwards. */
  release(): void;
}

/** One sequence within a cache. */
export interface CacheRow<Cache extends DecoderCache = DecoderCache> {
  readonly cache: Cache;
  readonly row: number;
  /** Number of first tokens to take; default: all. */
  readonly length?: number;
}

/** Further inputs of a step, if the graph takes them. */
export interface StepInputs {
  /** `[rows × count × hiddenSize]`, in place of the tokens; valid during the call */
  readonly embeddings?: Float32Array;
  /** `[rows × count × layerSize]`, in addition to `embeddings` */
  readonly layerEmbeddings?: Float32Array;
  /** `[3 × rows × count]`: frames, rows and columns of pictures; text has the same number three times. */
  readonly positions?: Int32Array;
}

/** A decoder-only language model, one forward pass at a time. */
export interface Decoder<Cache extends DecoderCache = DecoderCache> {
  readonly vocabularySize: number;
  /** Size of the embeddings that the graph takes in place of tokens; `undefined` if it takes tokens. */
  readonly hiddenSize?: number | undefined;
  /** Size of the additional embeddings of all layers; `undefined` if the graph takes none of them. */
  readonly layerSize?: number | undefined;
  /** Whether the graph takes positions of frames, rows and columns. */
  readonly hasGridPositions?: boolean;
  /** Whether rows of different lengths may share a cache. */
  readonly ragged: boolean;
  /** Whether prompts of different lengths can be read together: only into a cache without tokens, padded on the right. */
  readonly raggedPrompts: boolean;
  /** Maximum number of tokens in all caches together, if it is fixed. */
  readonly capacity?: number;
  /** Whether a beginning of a sequence can be had without its end; default true. */
  readonly cutsSequences?: boolean;
  /** Whether a prompt must be read in one piece; default false. */
  readonly readsWholePrompts?: boolean;
  /** Whether later requests may reuse computed prompts; default true. */
  readonly keepsPrefixes?: boolean;
  /**
   * Tokens of a piece of a prompt, where logits depend on nothing but the tokens and the pieces that they were fed in: a
   * gathered row goes on with the same bits as the one it was copied from. Left out where that isn't so.
   */
  readonly pieceTokens?: number | undefined;
  /**
   * @param rows sequences without tokens; default 1
   * @param room tokens for which each row gets memory immediately; more can be appended
   */
  createCache(rows?: number, room?: number): Cache;
  /**
   * Copies rows into one cache: to merge batches, to drop rows, to continue one prompt several times.
   *
   * @param replaced is released; where its rows stay in their places, they need no copying
   * @param room as of `createCache`
   */
  gather(rows: readonly CacheRow<Cache>[], replaced?: Cache, room?: number): Promise<Cache>;
  /**
   * As `gather` of one row, for a copy that no step reads before it is gathered. Optional: default `gather`.
   *
   * @param isLast whether the cache of that row is no longer needed: it may be the result itself, and otherwise stays unchanged
   */
  keep?(row: CacheRow<Cache>, isLast?: boolean): Promise<Cache>;
  /**
   * Feeds new tokens to every row of `cache` and appends their keys and values to it.
   *
   * @param tokens `[rows × count]` token ids
   * @param counts how many tokens of each row there are, the rest is padding; default `count`
   * @param inputs further inputs, in addition to tokens or in place of them
   * @returns `[rows × vocabularySize]` logits of each row's last token; valid until the next call
   */
  forward(
    cache: Cache,
    tokens: Int32Array,
    count: number,
    counts?: readonly number[],
    inputs?: StepInputs,
  ): Promise<Float32Array>;
  /**
   * As `forward` of one row, for the logits after each of its tokens. Undefined if the engine returns only the last logits.
   *
   * @returns `[tokens × vocabularySize]`; valid until the next call
   */
  forwardAll?(cache: Cache, tokens: Int32Array, inputs?: StepInputs): Promise<Float32Array>;
  /**
   * As `forward`, for logits that stay on another device, where the graph picks the largest of them: those come back, and
   * the rows that are asked for.
   */
  forwardLargest?(
    cache: Cache,
    tokens: Int32Array,
    count: number,
    counts?: readonly number[],
  ): Promise<RemoteLogits>;
  /** Bytes that went over the bus so far, if the caches are on a different device. */
  readonly traffic?: DecoderTraffic;
  /**
   * Feeds new tokens to the one row of `cache` for the logits after each of them, of which the caller keeps as many as it
   * likes. Left out where tokens can't be taken back.
   *
   * @param accept gets the logits `[tokens × vocabularySize]`, valid during the call, and returns the number of tokens to keep
   */
  verify?(cache: Cache, tokens: Int32Array, accept: (logits: Float32Array) => number): Promise<void>;
  /** Aborts the step in progress, if the runtime can; its cache is then unchanged. */
  interrupt?(): void;
  release(): Promise<void>;
}

/** Logits of each row's last token on a different device, until the next step. */
export interface RemoteLogits {
  largest(row: number): LargestLogits;
  /** Fetches a row, `[vocabularySize]`; valid until the next one. */
  all(row: number): Promise<Float32Array>;
}

/** Counts of a decoder's whole life. */
export interface DecoderTraffic {
  /** Both ways: inputs, logits, orders of rows. */
  readonly bytes: number;
  /** Rows of all forward passes. */
  readonly rowSteps: number;
}
