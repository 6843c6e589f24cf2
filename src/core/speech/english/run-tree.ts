import { BitDecoder } from './bit-decoder.ts';

/** Maximum length of a run of symbols. */
export const maxRun = 6;
/** Bits of a cost. */
export const costBits = 5;
/** The backoff of this value costs nothing. */
export const freeBackoff = 2;

/** Contexts of the bits of a packed tree. */
export const contextOf = {
  /** Whether a run goes on. */
  goesOn: (depth: number, cost: number): number => depth * 32 + cost,
  /** Whether a run has the continuation that the run without its first symbol has. */
  has: (depth: number, shorterCost: number, seen: number, left: number, goesOn: number): number =>
    (1 << 8) + depth * 1024 + Math.min(15, shorterCost) * 64 + Math.min(3, seen) * 16 + left * 2 + goesOn,
  cost: (depth: number, shorterCost: number): number => (1 << 13) + (depth * 32 + shorterCost) * 32,
  backoff: (depth: number): number => (1 << 14) + depth * 32,
};

/** How many candidates are left, roughly. */
export function magnitude(count: number): number {
  return Math.min(7, 31 - Math.clz32(count));
}

/**
 * A statistical model of sequences: runs of up to six symbols with the cost of their last symbol, and of going on with the
 * run without the first symbol instead (n-grams with backoff). Costs are in steps of 0.7 nats.
 */
export class RunTree {
  readonly #symbols: Uint16Array<ArrayBuffer>;
  readonly #costs: Uint8Array<ArrayBuffer>;
  readonly #backoffs: Uint8Array<ArrayBuffer>;
  /** Index of the first continuation of each run. Continuations are sorted by symbol, up to the first of the next run. */
  readonly #first: Uint32Array<ArrayBuffer>;
  /** The run without its first symbol. */
  readonly #shorter: Uint32Array<ArrayBuffer>;

  /** @param packed base64: four bytes for the number of runs, most significant first, and their bits */
  constructor(packed: string, symbolCount: number) {
    const binary = atob(packed);
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
    const total = new DataView(bytes.buffer).getUint32(0) + 1;
    this.#symbols = new Uint16Array(total);
    this.#costs = new Uint8Array(total);
    this.#backoffs = new Uint8Array(total).fill(freeBackoff);
    this.#first = new Uint32Array(total + 1);
    this.#shorter = new Uint32Array(total);
    this.#read(new BitDecoder(bytes.subarray(4)), symbolCount);
  }

  #read(bits: BitDecoder, symbolCount: number): void {
    const goesOn = new Uint8Array(this.#symbols.length);
    let end = 1;
    const add = (symbol: number, shorter: number, depth: number): void => {
      const cost = bits.number(contextOf.cost(depth, depth === 1 ? 0 : this.#costs[shorter]!), costBits);
      this.#symbols[end] = symbol;
      this.#shorter[end] = shorter;
      this.#costs[end] = cost;
      if (depth < maxRun && (depth === 1 || goesOn[shorter] === 1))
        goesOn[end] = bits.bit(contextOf.goesOn(depth, cost));
      end++;
    };
    this.#first[0] = 1;
    for (let symbol = 0; symbol < symbolCount; symbol++) add(symbol, 0, 1);
    for (let run = 1, depth = 1, deeper = end; run < this.#symbols.length; run++) {
      if (run === deeper) {
        depth++;
        deeper = end;
      }
      this.#first[run] = end;
      if (goesOn[run] === 0) continue;
      this.#backoffs[run] = bits.number(contextOf.backoff(depth), costBits);
      const shorter = this.#shorter[run]!;
      const last = this.#first[shorter + 1]!;
      let seen = 0;
      for (let likely = this.#first[shorter]!; likely < last; likely++) {
        const left = magnitude(last - likely);
        if (bits.bit(contextOf.has(depth, this.#costs[likely]!, seen, left, goesOn[likely]!)) === 0) continue;
        seen++;
        add(this.#symbols[likely]!, likely, depth + 1);
      }
    }
    this.#first[this.#symbols.length] = end;
  }

  /** The longest run that ends with a symbol, from the run before it, and the symbol's cost. */
  follow(run: number, symbol: number): { run: number; cost: number } {
    let cost = 0;
    for (let from = run; ; from = this.#shorter[from]!) {
      const found = this.#find(from, symbol);
      if (found >= 0) return { run: this.#withContinuations(found), cost: cost + this.#costs[found]! };
      cost += this.#backoffs[from]! - freeBackoff;
    }
  }

  #find(run: number, symbol: number): number {
    if (run === 0) return symbol + 1;
    let low = this.#first[run]!;
    let high = this.#first[run + 1]!;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#symbols[middle]! < symbol) low = middle + 1;
      else high = middle;
    }
    return low < this.#first[run + 1]! && this.#symbols[low] === symbol ? low : -1;
  }

  /** Runs without continuations cost nothing to leave, and equal runs make equal hypotheses. */
  #withContinuations(run: number): number {
    let from = run;
    while (from > 0 && this.#first[from] === this.#first[from + 1]) from = this.#shorter[from]!;
    return from;
  }
}
