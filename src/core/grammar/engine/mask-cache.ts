import { dead, type Automaton, type State } from './automaton.ts';
import { allKinds } from '../languages/run.ts';
import type { TokenTrie } from './token-trie.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Masks kept for each grammar. */
const maxMaskBytes = 4 * 2 ** 20;
const masksAtOnce = 8;
/**
 * Work on new states for one mask, some ten milliseconds. What would need more is left out of it, so that no grammar,
 * however it is made, holds up a thread.
 */
const maxWorkPerMask = 200_000;

/** The masks of the states of one automaton, the latest ones kept. */
export class MaskCache {
  readonly #automaton: Automaton;
  readonly #vocabulary: Vocabulary;
  readonly #path: Int32Array;
  readonly #maxMasks: number;
  /** Room for the next masks: many small arrays cost several times as much. */
  #room = new Uint32Array();
  readonly #masks = new Map<number, Uint32Array>();
  #generation = -1;

  constructor(automaton: Automaton, vocabulary: Vocabulary) {
    const { plain, rest, maskLength } = vocabulary;
    this.#automaton = automaton;
    this.#vocabulary = vocabulary;
    this.#path = new Int32Array(Math.max(plain.maxDepth, rest.maxDepth) + 1);
    this.#maxMasks = Math.max(8, Math.floor(maxMaskBytes / (4 * maskLength)));
  }

  get bytes(): number {
    return 4 * this.#vocabulary.maskLength * this.#masks.size + this.#room.byteLength;
  }

  of(state: State): Uint32Array {
    if (this.#generation !== state.generation) {
      this.#masks.clear();
      this.#generation = state.generation;
    }
    let mask = this.#masks.get(state.id);
    if (mask) this.#masks.delete(state.id);
    else mask = this.#make(state);
    this.#masks.set(state.id, mask);
    if (this.#masks.size > this.#maxMasks) this.#masks.delete(this.#masks.keys().next().value!);
    return mask;
  }

  #make(state: State): Uint32Array {
    const { plain, plainMask, rest, maskLength, endTokens } = this.#vocabulary;
    const automaton = this.#automaton;
    if (this.#room.length === 0) this.#room = new Uint32Array(masksAtOnce * maskLength);
    const mask = this.#room.subarray(0, maskLength);
    this.#room = this.#room.subarray(maskLength);
    const limit = automaton.work + maxWorkPerMask;
    if (automaton.covers(state.id, allKinds, plain.maxDepth)) mask.set(plainMask);
    else this.#walk(plain, state.id, mask, limit);
    this.#walk(rest, state.id, mask, limit);
    for (const [token, bytes] of endTokens) {
      if (mayEndWith(automaton, state, bytes)) mask[token >>> 5]! |= 1 << (token & 31);
    }
    return mask;
  }

  #walk(trie: TokenTrie, start: number, mask: Uint32Array, limit: number): void {
    const { size, bytes, depths, ends, firstTokens, tokens, heights, kinds } = trie;
    const automaton = this.#automaton;
    const vocabulary = this.#vocabulary;
    const path = this.#path;
    const isPlain = trie === vocabulary.plain;
    path[0] = start;
    const lastLimit = limit + maxWorkPerMask;
    let isAny = false;
    for (let node = 0; node < size;) {
      const depth = depths[node]!;
      // Single bytes are looked at longer: what is left out can still be written byte by byte.
      if (automaton.work > limit && (depth > 1 || (isAny && automaton.work > lastLimit))) {
        node = ends[node]!;
        continue;
      }
      const state = automaton.next(path[depth - 1]!, bytes[node]!);
      if (state === dead) {
        node = ends[node]!;
        continue;
      }
      if (isPlain && automaton.covers(state, kinds[node]!, heights[node]!)) {
        vocabulary.addPlain(mask, node);
        isAny = true;
        node = ends[node]!;
        continue;
      }
      path[depth] = state;
      for (let index = firstTokens[node]!; index < firstTokens[node + 1]!; index++) {
        const token = tokens[index]!;
        mask[token >>> 5]! |= 1 << (token & 31);
        isAny = true;
      }
      node++;
    }
  }
}

/** An end token may come at an end, or as the last part of the text: some formats close a call with one. */
export function mayEndWith(automaton: Automaton, state: State, bytes: Uint8Array): boolean {
  return state.mayEnd || automaton.after(state, bytes).mayEnd;
}
