export interface SymbolDurations {
  /** Duration of each of the graph's input ids, in any unit. */
  readonly durations: ArrayLike<number | bigint>;
  /** For each id, the index of its symbol: −1 before the first symbol, the number of symbols after the last. */
  readonly places: ArrayLike<number>;
  readonly symbols: number;
  /** Total samples of all ids. */
  readonly samples: number;
}

/** Computes the first sample of each symbol from the durations of its ids. */
export function symbolBounds({
  durations,
  places,
  symbols,
  samples,
}: SymbolDurations): Float64Array | undefined {
  const numbers = Array.from(durations, Number);
  const total = numbers.reduce((sum, duration) => sum + duration, 0);
  const fits = numbers.length === places.length && total > 0 && numbers.every((duration) => duration >= 0);
  if (!fits) return undefined;
  const bounds = new Float64Array(symbols + 1);
  for (const [id, duration] of numbers.entries()) {
    const next = places[id]! + 1;
    if (next <= symbols) bounds[next]! += (duration / total) * samples;
  }
  for (let symbol = 1; symbol <= symbols; symbol++) bounds[symbol]! += bounds[symbol - 1]!;
  return bounds;
}
