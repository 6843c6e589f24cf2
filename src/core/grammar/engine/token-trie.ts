import { kindOfByte } from '../languages/run.ts';
import { sharedLength } from '../languages/utf8.ts';

/** Tokens sorted by their bytes, so that one pass visits every common prefix once. */
export interface TokenTrie {
  readonly size: number;
  /** The last byte of each node; nodes follow their parents. */
  readonly bytes: Uint8Array;
  /** Number of bytes up to each node, at least 1. */
  readonly depths: Uint16Array;
  /** The first node after each node's descendants. */
  readonly ends: Int32Array;
  /** Start of a node's tokens in `tokens`; they end at the start of node `n + 1`. */
  readonly firstTokens: Int32Array;
  readonly tokens: Int32Array;
  readonly maxDepth: number;
  /** For each node, the maximum number of further bytes of its tokens, and their kinds. */
  readonly heights: Uint16Array;
  readonly kinds: Uint32Array;
}

export interface TokenBytes {
  readonly token: number;
  readonly bytes: Uint8Array;
}

/** @param sorted by `compareBytes`, each of at least one byte; several may be equal */
export function createTokenTrie(sorted: readonly TokenBytes[]): TokenTrie {
  const capacity = sorted.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const bytes = new Uint8Array(capacity);
  const depths = new Uint16Array(capacity);
  const ends = new Int32Array(capacity);
  const firstTokens = new Int32Array(capacity + 1);
  let size = 0;
  let previous: Uint8Array = new Uint8Array();
  const open: number[] = [];
  for (const [index, { bytes: current }] of sorted.entries()) {
    const shared = sharedLength([previous, current]);
    while (open.length > shared) ends[open.pop()!] = size;
    for (let depth = shared; depth < current.length; depth++) {
      bytes[size] = current[depth]!;
      depths[size] = depth + 1;
      // Only the last of the new nodes has this token.
      firstTokens[size] = index;
      open.push(size++);
    }
    firstTokens[size] = index + 1;
    previous = current;
  }
  while (open.length > 0) ends[open.pop()!] = size;
  const heights = new Uint16Array(size);
  const kinds = new Uint32Array(size);
  /** For each depth, heights and kinds of the descendants visited since its last node. */
  const above: number[] = [];
  const kindsAbove: number[] = [];
  for (let node = size - 1; node >= 0; node--) {
    const depth = depths[node]!;
    const height = above[depth + 1] ?? 0;
    heights[node] = height;
    kinds[node] = kindsAbove[depth + 1] ?? 0;
    above.length = kindsAbove.length = depth + 1;
    above[depth] = Math.max(above[depth] ?? 0, height + 1);
    kindsAbove[depth] = (kindsAbove[depth] ?? 0) | kinds[node]! | kindOfByte[bytes[node]!]!;
  }
  return {
    size,
    bytes: bytes.slice(0, size),
    depths: depths.slice(0, size),
    ends: ends.slice(0, size),
    firstTokens: firstTokens.slice(0, size + 1),
    tokens: Int32Array.from(sorted, ({ token }) => token),
    heights,
    kinds,
    maxDepth: depths.subarray(0, size).reduce((deepest, depth) => Math.max(deepest, depth), 0),
  };
}

/** Tokenizes bytes greedily: the longest match each time. */
export function tokenizeGreedily(tries: readonly TokenTrie[], bytes: Uint8Array): number[] | undefined {
  const found: number[] = [];
  for (let start = 0; start < bytes.length;) {
    let [token, end] = [-1, start];
    for (const trie of tries) {
      let [node, last] = [0, trie.size];
      for (let at = start; at < bytes.length; at++) {
        while (node < last && trie.bytes[node] !== bytes[at]) node = trie.ends[node]!;
        if (node === last) break;
        const first = trie.firstTokens[node]!;
        if (first < trie.firstTokens[node + 1]! && at >= end) [token, end] = [trie.tokens[first]!, at + 1];
        last = trie.ends[node++]!;
      }
    }
    if (token === -1) return undefined;
    found.push(token);
    start = end;
  }
  return found;
}

/** The order of tokens in a trie. */
export function compareBytes({ bytes: a }: TokenBytes, { bytes: b }: TokenBytes): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) if (a[index] !== b[index]) return a[index]! - b[index]!;
  return a.length - b.length;
}
