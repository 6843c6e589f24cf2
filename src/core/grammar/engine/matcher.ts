import { Automaton, dead, type State } from './automaton.ts';
import type { Expression } from '../languages/expression.ts';
import { programSteps } from './program.ts';
import { allKinds } from '../languages/run.ts';
import { maxBytes, ShortestEndings } from './shortest-ending.ts';
import { utf8Text } from '../languages/utf8.ts';
import { longestTokens, type TokenTrie } from './token-trie.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Follows one sequence through a grammar. */
export interface GrammarMatcher {
  /**
   * The tokens that may come next: bit `t % 32` of word `t / 32` stands for token `t`. End tokens are among them where
   * the text may end. Not to be changed.
   */
  mask(): Uint32Array;
  /** Goes on after a token. */
  accept(token: number): void;
  /**
   * Whether the whole token would be free text, as the inside of a string is: no structure, and nothing of a number or of
   * constants to choose from. Needs no `this`.
   */
  isFree(token: number): boolean;
  /** Whether the text may end here. */
  readonly mayEnd: boolean;
  /** Tokens with which the text ends soonest, about; `undefined` where none are known. */
  ending(): number[] | undefined;
  /** Whether the text can be brought to an end with at most `most` tokens after `token`, one that `mask` allows. */
  endsWithin(most: number, token: number): boolean;
}

/** A grammar made ready for a vocabulary; what is learnt for one sequence serves all others. */
export interface CompiledGrammar {
  createMatcher(): GrammarMatcher;
  /** About how much memory it takes by now: it grows with what is written under it, up to a bound. */
  readonly bytes: number;
}

/** A state, and the bytes of an item of a list of different items, as far as it is written. */
interface Position {
  readonly state: State;
  readonly item: number[] | undefined;
}

/** Masks kept for each grammar. */
const maxMaskBytes = 4 * 2 ** 20;
const masksAtOnce = 8;
/**
 * Work on new states for one mask, some ten milliseconds. What would need more is left out of it, so that no grammar,
 * however it is made, holds up a thread.
 */
const maxWorkPerMask = 200_000;

/**
 * Makes a grammar ready, in slices: yields after each part of bounded cost.
 * @throws RangeError when nothing that the grammar allows can be written to an end, or it is too large
 */
export function* compileSteps(grammar: Expression, vocabulary: Vocabulary): Generator<void, CompiledGrammar> {
  const program = yield* programSteps(grammar, vocabulary.writesAll);
  const automaton = new Automaton(program);
  const masks = createMaskCache(automaton, vocabulary);
  const endings = new ShortestEndings(program);
  yield* endings.learn();
  const read = ({ state, item }: Position, byte: number): Position => {
    let next = automaton.state(automaton.next(state.id, byte));
    item?.push(byte);
    if (next.endsItem && item) next = automaton.keepItem(next, itemText(item));
    return { state: next, item: next.startsItem ? [] : item };
  };
  const readAll = ({ state, item }: Position, bytes: Iterable<number>): Position => {
    let position: Position = { state, item: item && [...item] };
    for (const byte of bytes) position = read(position, byte);
    return position;
  };
  const endingOf = (position: Position): number[] | undefined => {
    const bytes: number[] = [];
    for (let here = position; !here.state.mayEnd;) {
      // States with more ways than are followed may lack the shortest, so the length has a bound.
      const more = bytes.length <= maxBytes ? endings.bytesFrom(here.state) : undefined;
      if (!more) return undefined;
      bytes.push(...more);
      here = readAll(here, more);
    }
    const written = withoutEndToken(Uint8Array.from(bytes), vocabulary);
    return longestTokens([vocabulary.plain, vocabulary.rest], written);
  };
  return {
    get bytes() {
      return automaton.bytes + masks.bytes;
    },
    createMatcher() {
      let state = automaton.start();
      /** Bytes of an item of a list of different items, as far as it is written. */
      let item: number[] | undefined;
      return {
        mask() {
          automaton.tidy();
          state = automaton.renew(state);
          return masks.of(state);
        },
        accept(token) {
          state = automaton.renew(state);
          const ending = vocabulary.endTokens.get(token);
          if (ending && mayEndWith(automaton, state, ending)) return;
          const bytes = vocabulary.bytesOf(token);
          let after: Position = { state: bytes === undefined ? automaton.state(dead) : state, item };
          const length = item?.length ?? 0;
          for (const byte of bytes ?? []) after = read(after, byte);
          if (after.state.id === dead) {
            if (item) item.length = length;
            throw new RangeError(`token: expected one that the grammar allows, got ${token}`);
          }
          ({ state, item } = after);
        },
        ending() {
          state = automaton.renew(state);
          return endingOf({ state, item });
        },
        endsWithin(most, token) {
          state = automaton.renew(state);
          if (vocabulary.endTokens.has(token)) return true;
          const after = readAll({ state, item }, vocabulary.bytesOf(token)!);
          const isKnown = !endings.isInList(after.state);
          if (isKnown && endings.lengthFrom(after.state) <= most) return true;
          return (endingOf(after)?.length ?? Infinity) <= most;
        },
        isFree(token) {
          state = automaton.renew(state);
          let after = state;
          for (const byte of vocabulary.bytesOf(token) ?? []) {
            if (!automaton.isFree(after)) return false;
            after = automaton.state(automaton.next(after.id, byte));
          }
          return automaton.isFree(after);
        },
        get mayEnd() {
          return state.mayEnd;
        },
      };
    },
  };
}

/** An end token may come at an end, or as the last part of the text: some formats close a call with one. */
function mayEndWith(automaton: Automaton, state: State, bytes: Uint8Array): boolean {
  return state.mayEnd || automaton.after(state, bytes).mayEnd;
}

/** An end token stands for the last part of the text, where some format closes a call with one. */
function withoutEndToken(bytes: Uint8Array, { endTokens }: Vocabulary): Uint8Array {
  for (const own of endTokens.values()) {
    const start = bytes.length - own.length;
    if (own.length > 0 && start >= 0 && own.every((byte, index) => bytes[start + index] === byte))
      return bytes.subarray(0, start);
  }
  return bytes;
}

/** An item as JSON, from its bytes: of a string those after the quote that opens it, of anything else all. */
function itemText(bytes: readonly number[]): string {
  const isString = bytes.at(-1) === 0x22 && (bytes[0] !== 0x22 || bytes.length === 1);
  const written = utf8Text(isString ? [0x22, ...bytes] : bytes);
  return isString ? JSON.stringify(JSON.parse(written)) : written;
}

/** The masks of the states of one automaton, the latest ones kept. */
function createMaskCache(automaton: Automaton, vocabulary: Vocabulary) {
  const { plain, plainMask, rest, maskLength, endTokens } = vocabulary;
  const path = new Int32Array(Math.max(plain.maxDepth, rest.maxDepth) + 1);
  const maxMasks = Math.max(8, Math.floor(maxMaskBytes / (4 * maskLength)));
  /** Room for the next masks: many small arrays cost several times as much. */
  let room = new Uint32Array();
  const masks = new Map<number, Uint32Array>();
  let generation = -1;
  return {
    get bytes() {
      return 4 * maskLength * masks.size + room.byteLength;
    },
    of(state: State): Uint32Array {
      if (generation !== state.generation) {
        masks.clear();
        generation = state.generation;
      }
      let mask = masks.get(state.id);
      if (mask) masks.delete(state.id);
      else mask = make(state);
      masks.set(state.id, mask);
      if (masks.size > maxMasks) masks.delete(masks.keys().next().value!);
      return mask;
    },
  };

  function make(state: State): Uint32Array {
    if (room.length === 0) room = new Uint32Array(masksAtOnce * maskLength);
    const mask = room.subarray(0, maskLength);
    room = room.subarray(maskLength);
    const limit = automaton.work + maxWorkPerMask;
    if (automaton.covers(state.id, allKinds, plain.maxDepth)) mask.set(plainMask);
    else walk(plain, state.id, mask, limit);
    walk(rest, state.id, mask, limit);
    for (const [token, bytes] of endTokens) {
      if (mayEndWith(automaton, state, bytes)) mask[token >>> 5]! |= 1 << (token & 31);
    }
    return mask;
  }

  function walk(trie: TokenTrie, start: number, mask: Uint32Array, limit: number): void {
    const { size, bytes, depths, ends, firstTokens, tokens, heights, kinds } = trie;
    const isPlain = trie === plain;
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
