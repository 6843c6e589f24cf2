import type { VoiceShare } from '../../core/speech/voices.ts';
import type { Voice } from './events.ts';

export interface SpeakOptions {
  /** 1 unless the synthesizer supports speeds. */
  readonly speed: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Utterance {
  /** From −1 to 1, mono, owned by the caller. */
  readonly samples: Float32Array;
  /** Start sample of each code point of the piece, then the end of the last; absent if unknown. */
  readonly bounds?: Float64Array | undefined;
}

/** A voice, or a mix of several, ready to speak. */
export interface Speaker {
  /** Normalizes numbers and symbols to words; default: only tidies the text. */
  prepare?(text: string): string | Promise<string>;
  /** Converts a sentence to the model's symbols, such as phonemes, with punctuation; default: unchanged. */
  pronounce?(sentence: string): Promise<string>;
  /** Max code points of a piece, if less than the pipeline's limit. */
  readonly maxPieceLength?: number | undefined;
  /** Speaks a piece of `pronounce`'s result. */
  speak(piece: string, options: SpeakOptions): Promise<Utterance>;
}

export interface Synthesizer {
  readonly sampleRateHz: number;
  /** Usable voices, at least one, default first. */
  readonly voices: readonly Voice[];
  /** `speed` has an effect. */
  readonly hasSpeed: boolean;
  /** Utterances have bounds; default false. */
  readonly hasWordTimes?: boolean | undefined;
  readonly mixesVoices: boolean;
  /** Explains why a voice is unusable; `undefined` for an unknown voice. */
  explainVoice?(voice: string): string | undefined;
  /** @param shares of usable voices; one, unless `mixesVoices` */
  findSpeaker(shares: readonly VoiceShare[]): Promise<Speaker>;
  release(): Promise<void>;
}
