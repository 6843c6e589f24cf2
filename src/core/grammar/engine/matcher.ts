import { Automaton, dead, type State } from './automaton.ts';
import type { Expression } from '../languages/expression.ts';
import { programSteps } from './program.ts';
import { MaskCache, mayEndWith } from './mask-cache.ts';
import { maxBytes, ShortestEndings } from './shortest-ending.ts';
import { utf8Text } from '../languages/utf8.ts';
import { longestTokens } from './token-trie.ts';
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

/**
 * Makes a grammar ready, in slices: yields after each part of bounded cost.
 * @throws RangeError when nothing that the grammar allows can be written to an end, or it is too large
 */
export function* compileSteps(grammar: Expression, vocabulary: Vocabulary): Generator<void, CompiledGrammar> {
  const program = yield* programSteps(grammar, vocabulary.writesAll);
  const endings = new ShortestEndings(program);
  yield* endings.learn();
  return new Compiled(new Automaton(program), endings, vocabulary);
}

class Compiled implements CompiledGrammar {
  readonly automaton: Automaton;
  readonly endings: ShortestEndings;
  readonly vocabulary: Vocabulary;
  readonly masks: MaskCache;

  constructor(automaton: Automaton, endings: ShortestEndings, vocabulary: Vocabulary) {
    this.automaton = automaton;
    this.endings = endings;
    this.vocabulary = vocabulary;
    this.masks = new MaskCache(automaton, vocabulary);
  }

  get bytes(): number {
    return this.automaton.bytes + this.masks.bytes;
  }

  createMatcher(): GrammarMatcher {
    return new Matcher(this);
  }

  read({ state, item }: Position, byte: number): Position {
    let next = this.automaton.state(this.automaton.next(state.id, byte));
    item?.push(byte);
    if (next.endsItem && item) next = this.automaton.keepItem(next, itemText(item));
    return { state: next, item: next.startsItem ? [] : item };
  }

  readAll({ state, item }: Position, bytes: Iterable<number>): Position {
    let position: Position = { state, item: item && [...item] };
    for (const byte of bytes) position = this.read(position, byte);
    return position;
  }

  endingOf(position: Position): number[] | undefined {
    const bytes: number[] = [];
    for (let here = position; !here.state.mayEnd;) {
      // States with more ways than are followed may lack the shortest, so the length has a bound.
      const more = bytes.length <= maxBytes ? this.endings.bytesFrom(here.state) : undefined;
      if (!more) return undefined;
      bytes.push(...more);
      here = this.readAll(here, more);
    }
    const written = withoutEndToken(Uint8Array.from(bytes), this.vocabulary);
    return longestTokens([this.vocabulary.plain, this.vocabulary.rest], written);
  }
}

class Matcher implements GrammarMatcher {
  readonly #grammar: Compiled;
  #last: State;
  /** Bytes of an item of a list of different items, as far as it is written. */
  #item: number[] | undefined;

  constructor(grammar: Compiled) {
    this.#grammar = grammar;
    this.#last = grammar.automaton.start();
  }

  get #state(): State {
    return (this.#last = this.#grammar.automaton.renew(this.#last));
  }

  get mayEnd(): boolean {
    return this.#last.mayEnd;
  }

  mask(): Uint32Array {
    this.#grammar.automaton.tidy();
    return this.#grammar.masks.of(this.#state);
  }

  accept(token: number): void {
    const { automaton, vocabulary } = this.#grammar;
    const state = this.#state;
    const ending = vocabulary.endTokens.get(token);
    if (ending && mayEndWith(automaton, state, ending)) return;
    const bytes = vocabulary.bytesOf(token);
    const item = this.#item;
    let after: Position = { state: bytes === undefined ? automaton.state(dead) : state, item };
    const length = item?.length ?? 0;
    for (const byte of bytes ?? []) after = this.#grammar.read(after, byte);
    if (after.state.id === dead) {
      if (item) item.length = length;
      throw new RangeError(`token: expected one that the grammar allows, got ${token}`);
    }
    this.#last = after.state;
    this.#item = after.item;
  }

  ending(): number[] | undefined {
    return this.#grammar.endingOf({ state: this.#state, item: this.#item });
  }

  endsWithin(most: number, token: number): boolean {
    const { endings, vocabulary } = this.#grammar;
    const state = this.#state;
    if (vocabulary.endTokens.has(token)) return true;
    const after = this.#grammar.readAll({ state, item: this.#item }, vocabulary.bytesOf(token)!);
    const isKnown = !endings.isInList(after.state);
    if (isKnown && endings.lengthFrom(after.state) <= most) return true;
    return (this.#grammar.endingOf(after)?.length ?? Infinity) <= most;
  }

  readonly isFree = (token: number): boolean => {
    const { automaton, vocabulary } = this.#grammar;
    let after = this.#state;
    for (const byte of vocabulary.bytesOf(token) ?? []) {
      if (!automaton.isFree(after)) return false;
      after = automaton.state(automaton.next(after.id, byte));
    }
    return automaton.isFree(after);
  };
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
