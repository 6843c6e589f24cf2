import type { Voice } from '../../events.ts';

/** The three numbers that a graph with the input `scales` speaks by. */
export interface VitsScales {
  /** Variation of the sound. */
  readonly noise: number;
  /** Duration of each symbol; 1 is usual, 2 half as fast. */
  readonly length: number;
  /** Variation of the durations. */
  readonly durationNoise: number;
}

/** The small files of a VITS, read. */
export interface VitsVoice {
  readonly graph: string;
  readonly sampleRateHz: number;
  /** At least one, the usual one first. */
  readonly voices: readonly Voice[];
  /** Voice → number of its speaker; empty for a model with one. */
  readonly speakers: ReadonlyMap<string, number>;
  readonly scales: VitsScales;
  /** Writes out what isn't words. */
  prepare(text: string): string | Promise<string>;
  pronounce(sentence: string): string | Promise<string>;
  /** Whether a code point of what `pronounce` gave has an id. */
  knows(symbol: string): boolean;
  /** Whether `toIds` gives places. */
  readonly hasPlaces: boolean;
  /** @returns empty where no symbol has an id */
  toIds(symbols: string): SymbolIds;
}

export interface SymbolIds {
  readonly ids: readonly number[];
  /**
   * For each id, the place of its code point: −1 for those before the first, the number of code points for those after the
   * last; left out where it isn't known.
   */
  readonly places?: readonly number[] | undefined;
}
