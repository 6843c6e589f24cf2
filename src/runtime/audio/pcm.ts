export interface PcmBlock {
  readonly sampleRateHz: number;
  /** One array per channel, of equal length, full scale −1 to 1. */
  readonly channels: readonly Float32Array[];
}

export interface PcmTrack {
  /** From the file's header, if present; unreliable. */
  readonly durationSeconds?: number | undefined;
  /** Blocks in order, to be read once; stopping early frees the decoder. */
  readonly blocks: AsyncIterable<PcmBlock>;
}

/** In samples per channel. */
export function blockLength({ channels }: PcmBlock): number {
  return channels[0]?.length ?? 0;
}

/** The samples from `start` to `end` of every channel; both may be outside the block. */
export function sliceBlock(block: PcmBlock, start: number, end: number): PcmBlock {
  if (start <= 0 && end >= blockLength(block)) return block;
  const from = Math.max(0, start);
  return { ...block, channels: block.channels.map((channel) => channel.subarray(from, Math.max(from, end))) };
}

export interface TrackOptions {
  /** Longer audio is rejected as soon as its length is known. */
  readonly maxSeconds: number;
  /** The fallback decoder; default `ffmpeg` on the PATH. */
  readonly ffmpegPath?: string | undefined;
  /** Whether to keep channels separate; default: their mean. */
  readonly separate?: boolean | undefined;
  /** Aborting it ends the decoding with `cancelled`. */
  readonly signal?: AbortSignal | undefined;
}
