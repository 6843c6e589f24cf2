import type { Voice } from '../../events.ts';

/** The three numbers of a graph's input `scales`. */
export interface VitsScales {
  /** Variation of the sound. */
  readonly noise: number;
  /** Duration of each symbol; 1 is the default, 2 half as fast. */
  readonly length: number;
  /** Variation of the durations. */
  readonly durationNoise: number;
}

export interface VitsVoice {
  readonly graph: string;
  readonly sampleRateHz: number;
  /** At least one, default first. */
  readonly voices: readonly Voice[];
  /** Voice → number of its speaker; empty for a single speaker. */
  readonly speakers: ReadonlyMap<string, number>;
  readonly scales: VitsScales;
  /** Normalizes numbers, abbreviations and symbols to words. */
  prepare(text: string): string | Promise<string>;
  pronounce(sentence: string): string | Promise<string>;
  /** True if a code point of `pronounce`'s result has an id. */
  knows(symbol: string): boolean;
  /** `toIds` returns `places`. */
  readonly hasPlaces: boolean;
  /** @returns empty if no symbol has an id */
  toIds(symbols: string): SymbolIds;
}

export interface SymbolIds {
  readonly ids: readonly number[];
  /** Per id, the index of its code point: −1 before the first, the number of code points after the last; absent if unknown. */
  readonly places?: readonly number[] | undefined;
}
