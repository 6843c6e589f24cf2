import { keptCapacity } from '../kept-capacity.ts';

/** The symbols of a word that are about to be merged. */
export interface Symbols {
  count: number;
  ids: Int32Array;
  /** Number of UTF-8 bytes of each symbol. */
  lengths: Int32Array;
}

export function createSymbols(): Symbols {
  return { count: 0, ids: new Int32Array(256), lengths: new Int32Array(256) };
}

/** Empties the symbols and makes room for `capacity`. What an unusual text needed is given back afterwards. */
export function clearSymbols(symbols: Symbols, capacity: number): void {
  symbols.count = 0;
  const roomy = symbols.ids.length;
  if (capacity <= roomy && (roomy <= keptCapacity || capacity > keptCapacity)) return;
  const size = Math.max(256, capacity);
  symbols.ids = new Int32Array(size);
  symbols.lengths = new Int32Array(size);
}

export function pushSymbol(symbols: Symbols, id: number, length: number): void {
  symbols.ids[symbols.count] = id;
  symbols.lengths[symbols.count++] = length;
}
