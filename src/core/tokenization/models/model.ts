import { type TokenBuffer, keptCapacity } from '../token-buffer.ts';
import { type Vocabulary, createVocabulary, maxTokenId } from '../vocabulary.ts';
import { readInteger, readMembers } from '../definition.ts';

export interface Model {
  readonly vocabulary: Vocabulary;
  /** Ids from here on are free for added tokens. */
  readonly size: number;
  /** Appends the tokens of `units[start, end)`, which must not be empty. */
  encodeInto(tokens: TokenBuffer, units: Uint16Array, start: number, end: number): void;
  /** Encodes words with one character per UTF-8 byte of `units[start, end)`. */
  readonly bytes?: ByteModel | undefined;
}

export interface ByteModel {
  /** Whether these words can be encoded without spelling them out. */
  knows(units: Uint16Array, start: number, end: number): boolean;
  encodeInto: Model['encodeInto'];
}

/** Splits words into the initial symbols of byte-pair encoding. */
export interface Spelling {
  /** Replaces the symbols by the symbols of `units[start, end)`. */
  spellInto(symbols: Symbols, units: Uint16Array, start: number, end: number): void;
  /** The token of the whole word, −1 if missing. */
  findWhole(units: Uint16Array, start: number, end: number): number;
  /** Whether the parts before and after `at` can be encoded independently. */
  mayCut(units: Uint16Array, at: number): boolean;
}

/** Reads a vocabulary that maps tokens to ids. */
export function readVocabulary(label: string, value: unknown): Vocabulary {
  const members = readMembers(label, value);
  const tokens = Object.keys(members);
  const ids = new Int32Array(tokens.length);
  for (let index = 0; index < tokens.length; index++) {
    const id = members[tokens[index]!];
    // Building the label costs more than the check.
    ids[index] =
      typeof id === 'number' && id >= 0 && id <= maxTokenId && Number.isInteger(id)
        ? id
        : readInteger(`${label}[${JSON.stringify(tokens[index])}]`, id, 0, maxTokenId);
  }
  return createVocabulary(tokens, ids);
}

/** The id of the unknown token; the result throws if the vocabulary lacks it. */
export function createUnknownId(label: string, token: string, vocabulary: Vocabulary): () => number {
  const id = vocabulary.findText(token);
  return () => {
    if (id !== -1) return id;
    throw new RangeError(`${label}.unk_token: ${JSON.stringify(token)} is not in the vocabulary`);
  };
}

/** The symbols of a word before merging. */
export interface Symbols {
  count: number;
  ids: Int32Array;
  /** UTF-8 bytes of each symbol. */
  lengths: Int32Array;
}

export function createSymbols(): Symbols {
  return { count: 0, ids: new Int32Array(256), lengths: new Int32Array(256) };
}

/** Empties the symbols and reserves `capacity`. Releases excess memory after an unusually long text. */
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
