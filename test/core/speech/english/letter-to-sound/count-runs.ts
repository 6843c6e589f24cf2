import { maxRun } from '../../../../../src/core/speech/english/run-tree.ts';

/** More than the symbols. */
const maxSymbols = 1 << 16;

/** The runs of symbols in some sequences, as a tree; run 0 is empty. */
export interface Runs {
  readonly symbols: readonly number[];
  readonly depths: readonly number[];
  readonly parents: readonly number[];
  /** The run without its first symbol. */
  readonly shorter: readonly number[];
  /** The continuations of each run. */
  readonly children: readonly (readonly number[])[];
  /** How often each run occurs. */
  readonly uses: readonly number[];
  /** The probability of a run's last symbol after its others. */
  readonly probabilities: Float64Array<ArrayBuffer>;
  /** The factor of the shorter run's probabilities for symbols that aren't continuations. */
  readonly backoffs: Float64Array<ArrayBuffer>;
  readonly find: (run: number, symbol: number) => number | undefined;
}

/**
 * Counts runs of up to six symbols, smoothed by modified Kneser-Ney: a shorter run counts by the number of distinct symbols before
 * it. Source: S. Chen, J. Goodman: An empirical study of smoothing techniques for language modeling (1999)
 *
 * @param sequences symbols from 1, with a 0 at both ends
 */
export function countRuns(sequences: readonly (readonly number[])[], symbolCount: number): Runs {
  const symbols = [0];
  const depths = [0];
  const parents = [0];
  const uses = [0];
  const children: number[][] = [[]];
  const places = new Map<number, number>();
  const add = (parent: number, symbol: number): number => {
    const place = parent * maxSymbols + symbol;
    const known = places.get(place);
    if (known !== undefined) return known;
    const run = symbols.push(symbol) - 1;
    places.set(place, run);
    depths.push(depths[parent]! + 1);
    parents.push(parent);
    uses.push(0);
    children.push([]);
    children[parent]!.push(run);
    return run;
  };
  for (let symbol = 0; symbol < symbolCount; symbol++) add(0, symbol);
  for (const sequence of sequences) {
    for (let at = 0; at < sequence.length; at++) {
      let run = 0;
      for (const symbol of sequence.slice(at, at + maxRun)) {
        run = add(run, symbol);
        uses[run]! += 1;
      }
    }
  }
  const find = (run: number, symbol: number): number | undefined => places.get(run * maxSymbols + symbol);
  const shorter = symbols.map(() => 0);
  const counts = symbols.map(() => 0);
  for (let run = 1; run < symbols.length; run++) {
    if (depths[run] === 1) continue;
    shorter[run] = find(shorter[parents[run]!]!, symbols[run]!)!;
    counts[shorter[run]!]! += 1;
  }
  // Nothing precedes the beginning of a sequence.
  const isFirst = symbols.map(() => false);
  for (let run = 1; run < symbols.length; run++) {
    isFirst[run] = depths[run] === 1 ? symbols[run] === 0 : isFirst[parents[run]!]!;
    if (depths[run] === maxRun || (isFirst[run] && depths[run]! > 1)) counts[run] = uses[run]!;
  }
  const runs = { symbols, depths, parents, shorter, children, uses, find };
  return { ...runs, ...smooth(runs, counts) };
}

function smooth(
  { symbols, depths, shorter, children }: Pick<Runs, 'symbols' | 'depths' | 'shorter' | 'children'>,
  counts: readonly number[],
): Pick<Runs, 'probabilities' | 'backoffs'> {
  const probabilities = new Float64Array(symbols.length);
  const backoffs = new Float64Array(symbols.length).fill(1);
  const discounts = Array.from({ length: maxRun + 1 }, (_, depth) => discountsOf(depth, depths, counts));
  // A shorter run is earlier in this order.
  const order = [...symbols.keys()].sort((one, other) => depths[one]! - depths[other]!);
  for (const run of order) {
    const total = children[run]!.reduce((sum, child) => sum + counts[child]!, 0);
    if (total === 0) continue;
    const discountOf = (child: number): number => discounts[depths[child]!]![Math.min(3, counts[child]!)]!;
    const left = children[run]!.reduce((sum, child) => sum + discountOf(child), 0) / total;
    backoffs[run] = left;
    for (const child of children[run]!) {
      const less = run === 0 ? 1 / children[0]!.length : probabilities[shorter[child]!]!;
      probabilities[child] = (counts[child]! - discountOf(child)) / total + left * less;
    }
  }
  return { probabilities, backoffs };
}

/** What is taken from counts of 0, 1, 2, and more. */
function discountsOf(depth: number, depths: readonly number[], counts: readonly number[]): number[] {
  const of = [0, 0, 0, 0, 0];
  for (const [run, count] of counts.entries()) if (depths[run] === depth && count < 5) of[count]! += 1;
  const [, one = 0, two = 0, three = 0, four = 0] = of;
  // A few sequences have no run of some of these counts.
  if (one * two * three * four === 0) return [0, 0.5, 0.5, 0.5];
  const share = one / (one + 2 * two);
  return [0, 1 - (2 * share * two) / one, 2 - (3 * share * three) / two, 3 - (4 * share * four) / three];
}
