import type { SpeechFormat } from '../../core/audio/speech-formats.ts';

export interface EncodeOptions {
  readonly sampleRateHz: number;
  /** Whether the first piece is the only one, so that a header can state the length of the audio. */
  readonly isWhole: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Encodes audio while it is generated.
 * @param pieces samples from −1 to 1; not modified, and only read as far as the result is
 */
export type Encode = (
  pieces: AsyncIterable<Float32Array>,
  options: EncodeOptions,
) => AsyncIterable<Uint8Array>;

export interface AudioEncoder {
  readonly format: SpeechFormat;
  readonly mediaType: string;
  readonly encode: Encode;
}

export const mediaTypes: Readonly<Record<SpeechFormat, string>> = {
  wav: 'audio/wav',
  pcm: 'audio/pcm',
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
};

export function encoderOf(format: SpeechFormat, encode: Encode): AudioEncoder {
  return { format, mediaType: mediaTypes[format], encode };
}
