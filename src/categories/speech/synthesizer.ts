import type { VoiceShare } from '../../core/speech/voices.ts';
import type { Voice } from './events.ts';

export interface SpeakOptions {
  /** 1 unless the synthesizer has speeds. */
  readonly speed: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Utterance {
  /** From −1 to 1, mono, owned by the caller. */
  readonly samples: Float32Array;
  /** Sample at which each code point of the piece begins, and that at which the last one ends; where it is known. */
  readonly bounds?: Float64Array | undefined;
}

/** A voice, or a mix of several, ready to speak. */
export interface Speaker {
  /** Writes out what isn't words, such as numbers; default: tidies the text. */
  prepare?(text: string): string | Promise<string>;
  /** Writes a sentence in the symbols of the model, such as phonemes, its punctuation included; default: as it is. */
  pronounce?(sentence: string): Promise<string>;
  /** Most code points of a piece; a shorter limit of the pipeline goes before. */
  readonly maxPieceLength?: number | undefined;
  /** Speaks a piece of what `pronounce` gave. */
  speak(piece: string, options: SpeakOptions): Promise<Utterance>;
}

/** A loaded model that speaks: everything that the pipeline needs of it. */
export interface Synthesizer {
  readonly sampleRateHz: number;
  /** Usable voices, at least one, the usual one first. */
  readonly voices: readonly Voice[];
  /** Whether `speed` acts. */
  readonly hasSpeed: boolean;
  /** Whether utterances have their bounds; default false. */
  readonly hasWordTimes?: boolean | undefined;
  readonly mixesVoices: boolean;
  /** Why a voice that isn't among the usable ones can't speak; `undefined` for one that the model doesn't have. */
  explainVoice?(voice: string): string | undefined;
  /** @param shares of usable voices; one, unless it mixes them */
  findSpeaker(shares: readonly VoiceShare[]): Promise<Speaker>;
  release(): Promise<void>;
}
