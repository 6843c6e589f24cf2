/** Options for decoding the audio of a file. */
export interface TrackOptions {
  /** Longer audio is refused as soon as its length shows. */
  readonly maxSeconds: number;
  /** The program that decodes what nothing else here can; default `ffmpeg` on the PATH. */
  readonly ffmpegPath?: string | undefined;
  /** Aborting it ends the decoding with `cancelled`. */
  readonly signal?: AbortSignal | undefined;
}
