import { type TokenBuffer, keptCapacity } from '../token-buffer.ts';
import { type Vocabulary, createVocabulary, highestTokenId } from '../vocabulary.ts';
import { readInteger, readMembers } from '../definition.ts';

/** Finds the tokens of a word. */
export interface Model {
  readonly vocabulary: Vocabulary;
  /** Ids from here on are free for tokens that are added. */
  readonly size: number;
  /** Appends the tokens of `units[start, end)`, which isn't empty. */
  encodeInto(tokens: TokenBuffer, units: Uint16Array, start: number, end: number): void;
  /** The same for words that have one character for each byte of the UTF-8 of `units[start, end)`. */
  readonly bytes?: ByteModel | undefined;
}

export interface ByteModel {
  /** Whether such words can be encoded without spelling them out. */
  knows(units: Uint16Array, start: number, end: number): boolean;
  encodeInto: Model['encodeInto'];
}

/** Split of words into the initial symbols of byte-pair encoding. */
export interface Spelling {
  /** Replaces the symbols by those of `units[start, end)`. */
  spellInto(symbols: Symbols, units: Uint16Array, start: number, end: number): void;
  /** The token that is the whole word, −1 if there is none. */
  findWhole(units: Uint16Array, start: number, end: number): number;
  /** Whether what is before a place and what is after it can be encoded apart from each other. */
  mayCut(units: Uint16Array, at: number): boolean;
}

/** Reads a vocabulary that maps tokens to ids. */
export function readVocabulary(label: string, value: unknown): Vocabulary {
  const members = readMembers(label, value);
  const tokens = Object.keys(members);
  const ids = new Int32Array(tokens.length);
  for (let index = 0; index < tokens.length; index++) {
    const id = members[tokens[index]!];
    // Labels cost more than the check.
    ids[index] =
      typeof id === 'number' && id >= 0 && id <= highestTokenId && Number.isInteger(id)
        ? id
        : readInteger(`${label}[${JSON.stringify(tokens[index])}]`, id, 0, highestTokenId);
  }
  return createVocabulary(tokens, ids);
}

/** The id of the token for what is unknown; throws where the vocabulary lacks it. */
export function createUnknownId(label: string, token: string, vocabulary: Vocabulary): () => number {
  const id = vocabulary.findText(token);
  return () => {
    if (id !== -1) return id;
    throw new RangeError(`${label}.unk_token: ${JSON.stringify(token)} is not in the vocabulary`);
  };
}

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
