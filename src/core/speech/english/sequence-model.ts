/** Maximum length of a counted run of symbols. */
const order = 6;
const discount = 0.9;
const maxNodes = 1 << 20;

/** A position in a sequence: the nodes of the runs that end there, shortest first. */
export type Context = readonly number[];

/** A statistical model of the sequences added to it. */
export interface SequenceModel {
  /** Before the first symbol of a sequence. */
  readonly start: Context;
  /** @param symbols integers from 1 to 65,535, with a 0 at both ends */
  add(symbols: Uint16Array, length: number): void;
  /** Probability of a symbol, or of the end, which is 0. */
  probability(context: Context, symbol: number): number;
  /** The position after a symbol. */
  advance(context: Context, symbol: number): Context;
}

/**
 * Creates a model that counts runs of up to six symbols, smoothed by interpolated Kneser-Ney: a shorter run counts by
 * the number of distinct symbols before it. Memory is bounded: about 16 MB for a million runs, after which new runs are
 * dropped. Source: S. Chen, J. Goodman: An empirical study of smoothing techniques for language modeling (1999)
 */
export function createSequenceModel(total: number): SequenceModel {
  let capacity = 1 << 10;
  while (capacity < maxNodes && capacity < total * order) capacity *= 2;
  const mask = capacity - 1;
  const root = capacity;
  const most = capacity * 0.875;
  /** Nodes are slots of a hash table: the run without its last symbol, that symbol, and counts. */
  const parents = new Int32Array(capacity).fill(-1);
  const lasts = new Uint16Array(capacity);
  const counts = new Uint32Array(capacity);
  const followers = new Uint32Array(capacity + 1);
  const kinds = new Uint16Array(capacity + 1);
  let nodes = 0;
  let symbolKinds = 0;
  let path = new Int32Array(order);
  let shorter = new Int32Array(order);

  /** @returns the node, or `~slot` for its free slot */
  const find = (parent: number, symbol: number): number => {
    let place = Math.imul(parent, 0x9e3779b1) ^ Math.imul(symbol, 0x85ebca6b);
    place = Math.imul(place ^ (place >>> 15), 0x2c1b3c6d);
    place = (place ^ (place >>> 13)) & mask;
    while (parents[place] !== -1) {
      if (parents[place] === parent && lasts[place] === symbol) return place;
      place = (place + 1) & mask;
    }
    return ~place;
  };
  const count = (node: number): void => {
    const parent = parents[node]!;
    if (counts[node] === 0) kinds[parent]! += 1;
    counts[node]! += 1;
    followers[parent]! += 1;
  };

  return {
    get start() {
      const node = find(root, 0);
      return node < 0 ? [root] : [root, node];
    },
    add(symbols, length) {
      // From the end, so that the run without its first symbol exists already.
      for (let at = length - 1; at >= 0; at--) {
        let parent = root;
        const depth = Math.min(order, length - at);
        for (let step = 0; step < depth; step++) {
          const symbol = symbols[at + step]!;
          let node = find(parent, symbol);
          const isNew = node < 0;
          if (isNew) {
            if (nodes >= most) {
              path.fill(-1, step);
              break;
            }
            node = ~node;
            parents[node] = parent;
            lasts[node] = symbol;
            nodes++;
            if (step === 0) symbolKinds++;
          }
          path[step] = node;
          if (step === order - 1 || (at === 0 && step > 0)) count(node);
          if (isNew && step > 0 && shorter[step - 1]! >= 0) count(shorter[step - 1]!);
          parent = node;
        }
        [path, shorter] = [shorter, path];
      }
    },
    probability(context, symbol) {
      let probability = 1 / (symbolKinds + 1);
      for (const node of context) {
        const all = followers[node]!;
        if (all === 0) continue;
        const found = find(node, symbol);
        const seen = found < 0 ? 0 : counts[found]!;
        probability = (Math.max(seen - discount, 0) + discount * kinds[node]! * probability) / all;
      }
      return probability;
    },
    advance(context, symbol) {
      const next = [root];
      for (const node of context.slice(0, order - 1)) {
        const found = find(node, symbol);
        if (found < 0) break;
        next.push(found);
      }
      return next;
    },
  };
}
