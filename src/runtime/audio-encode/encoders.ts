import type { SpeechFormat } from '../../core/audio/speech-formats.ts';
import { fieldError } from '../../errors.ts';
import type { AudioEncoder } from './contract.ts';
import { createFfmpegEncoder, ffmpegFormats, listFfmpegFormats } from './ffmpeg.ts';
import { pcmEncoder } from './pcm.ts';
import { wavEncoder } from './wav.ts';

/** Finds the encoder of a format. */
export type FindEncoder = (format: SpeechFormat) => Promise<AudioEncoder>;

const ownEncoders: readonly AudioEncoder[] = [wavEncoder, pcmEncoder];

/**
 * Makes a finder of encoders: `wav` and `pcm` are written here, the other formats by FFmpeg, which is asked once what it
 * can do.
 *
 * @param options.ffmpegPath of the program; default `ffmpeg` on the PATH
 * @returns a function that throws `InferenceError` `invalid_request` for a format that nothing here writes
 *
 * @example
 * ```ts
 * const findEncoder = createEncoderFinder();
 * (await findEncoder('wav')).mediaType; // 'audio/wav'
 * ```
 */
export function createEncoderFinder({
  ffmpegPath = 'ffmpeg',
}: { readonly ffmpegPath?: string | undefined } = {}): FindEncoder {
  let listed: Promise<readonly SpeechFormat[]> | undefined;
  return async (format) => {
    const own = ownEncoders.find((encoder) => encoder.format === format);
    if (own) return own;
    listed ??= listFfmpegFormats(ffmpegPath).catch((error: unknown) => {
      listed = undefined;
      throw error;
    });
    const added = await listed;
    if (added.includes(format)) return createFfmpegEncoder(ffmpegPath, format);
    const offered = [...ownEncoders.map((encoder) => encoder.format), ...added].join(', ');
    const codec = ffmpegFormats[format]?.codec;
    throw fieldError(
      'response_format',
      `expected one of ${offered}, got ${format}, which needs an ffmpeg with ${codec} on this machine`,
    );
  };
}
