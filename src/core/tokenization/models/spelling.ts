import type { Symbols } from './symbols.ts';

/** Split of words into the initial symbols of byte-pair encoding. */
export interface Spelling {
  /** Replaces the symbols by those of `units[start, end)`. */
  spellInto(symbols: Symbols, units: Uint16Array, start: number, end: number): void;
  /** The token that is the whole word, −1 if there is none. */
  findWhole(units: Uint16Array, start: number, end: number): number;
  /** Whether what is before a place and what is after it can be encoded apart from each other. */
  mayCut(units: Uint16Array, at: number): boolean;
}
