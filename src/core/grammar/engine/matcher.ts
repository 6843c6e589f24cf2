import { Automaton, dead, type State } from './automaton.ts';
import type { Expression } from '../languages/expression.ts';
import { programSteps } from './program.ts';
import { MaskCache, mayEndWith } from './mask-cache.ts';
import { maxBytes, ShortestEndings } from './shortest-ending.ts';
import { utf8Text } from '../languages/utf8.ts';
import { tokenizeGreedily } from './token-trie.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A grammar compiled for a vocabulary; all sequences share its caches. */
export interface CompiledGrammar {
  createMatcher(): GrammarMatcher;
  /** Approximate memory in bytes; it grows during generation, up to a limit. */
  readonly bytes: number;
}

/** A state, and the bytes so far of the current item of a `distinct` list. */
interface Position {
  readonly state: State;
  readonly item: number[] | undefined;
}

/**
 * Compiles a grammar. Yields after each part of bounded cost.
 * @throws RangeError if no text of the grammar can be completed, or if the grammar is too large
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
    return new GrammarMatcher(this);
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
      // A state with more than `maxThreads` threads may lack the shortest ending, so the length needs a limit.
      const more = bytes.length <= maxBytes ? this.endings.bytesFrom(here.state) : undefined;
      if (!more) return undefined;
      bytes.push(...more);
      here = this.readAll(here, more);
    }
    const written = withoutEndToken(Uint8Array.from(bytes), this.vocabulary);
    return tokenizeGreedily([this.vocabulary.plain, this.vocabulary.rest], written);
  }
}

/** Tracks one sequence through a grammar. */
export class GrammarMatcher {
  readonly #grammar: Compiled;
  #last: State;
  /** Bytes so far of the current item of a `distinct` list. */
  #item: number[] | undefined;

  constructor(grammar: Compiled) {
    this.#grammar = grammar;
    this.#last = grammar.automaton.start();
  }

  get #state(): State {
    return (this.#last = this.#grammar.automaton.renew(this.#last));
  }

  /** Whether the text may end here. */
  get mayEnd(): boolean {
    return this.#last.mayEnd;
  }

  /**
   * The allowed next tokens: bit `t % 32` of word `t / 32` represents token `t`. Includes end tokens if the text may
   * end. Must not be modified.
   */
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

  /** The approximately shortest tokens that complete the text; `undefined` if none are found. */
  ending(): number[] | undefined {
    return this.#grammar.endingOf({ state: this.#state, item: this.#item });
  }

  /** Whether the text can be completed with at most `most` tokens after `token`, which must be allowed by `mask`. */
  endsWithin(most: number, token: number): boolean {
    const { endings, vocabulary } = this.#grammar;
    const state = this.#state;
    if (vocabulary.endTokens.has(token)) return true;
    const after = this.#grammar.readAll({ state, item: this.#item }, vocabulary.bytesOf(token)!);
    const isKnown = !endings.isInList(after.state);
    if (isKnown && endings.lengthFrom(after.state) <= most) return true;
    return (this.#grammar.endingOf(after)?.length ?? Infinity) <= most;
  }

  /**
   * Whether the whole token would be free text, such as the inside of a string: without structure, digits of a number
   * or choices between constants. Needs no `this`.
   */
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

/** Strips an end token from the end of the text, where some formats close a call with it. */
function withoutEndToken(bytes: Uint8Array, { endTokens }: Vocabulary): Uint8Array {
  for (const own of endTokens.values()) {
    const start = bytes.length - own.length;
    if (own.length > 0 && start >= 0 && own.every((byte, index) => bytes[start + index] === byte))
      return bytes.subarray(0, start);
  }
  return bytes;
}

/** An item as JSON, from its bytes: a string without its opening quote, any value of a different type completely. */
function itemText(bytes: readonly number[]): string {
  const isString = bytes.at(-1) === 0x22 && (bytes[0] !== 0x22 || bytes.length === 1);
  const written = utf8Text(isString ? [0x22, ...bytes] : bytes);
  return isString ? JSON.stringify(JSON.parse(written)) : written;
}
