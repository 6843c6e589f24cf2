import { getOrCreate } from '../../get-or-create.ts';
import { orElse } from '../../text/or-else.ts';
import { plainText } from '../languages/json-text.ts';
import { compareBytes, createTokenTrie, type TokenBytes, type TokenTrie } from './token-trie.ts';

/** A model's tokens, prepared for finding the tokens that a grammar allows. */
export interface Vocabulary {
  /** Words per mask: bit `t % 32` of word `t / 32` represents token `t`. */
  readonly maskLength: number;
  /** Tokens that end the text, with their bytes in it, if any. */
  readonly endTokens: ReadonlyMap<number, Uint8Array>;
  /** @returns `undefined` for tokens that are never part of text, and for end tokens */
  bytesOf(token: number): Uint8Array | undefined;
  /** Whether every character can be generated unescaped, byte by byte if necessary. */
  readonly writesAll: boolean;
  /** Tokens that consist only of `plainText` characters. */
  readonly plain: TokenTrie;
  readonly plainMask: Uint32Array;
  /** All remaining tokens. */
  readonly rest: TokenTrie;
  /** Adds the plain tokens with the prefix of `node`. */
  addPlain(mask: Uint32Array, node: number): void;
}

export interface VocabularyOptions {
  /** Logits per step; tokens beyond the tokenizer's vocabulary are never allowed. */
  readonly size: number;
  readonly endTokens: ReadonlySet<number>;
  /** Bytes of a token's text; empty for control tokens. */
  bytesOf(token: number): Uint8Array;
}

/** Takes about a second for 150,000 tokens. */
export function createVocabulary({ size, endTokens, bytesOf }: VocabularyOptions): Vocabulary {
  const bytes: (Uint8Array | undefined)[] = [];
  const known: TokenBytes[] = [];
  for (let token = 0; token < size; token++) {
    const own = bytesOf(token);
    if (own.length === 0 || endTokens.has(token)) continue;
    bytes[token] = own;
    known.push({ token, bytes: own });
  }
  const single = new Set(known.filter((token) => token.bytes.length === 1).map((token) => token.bytes[0]!));
  // Any character that a token starts can then be completed.
  const usable = includesRange(single, 0x80, 0xbf)
    ? known
    : known.filter((entry) => areWholeCharacters(entry.bytes));
  const maskLength = Math.ceil(size / 32);
  const plainTokens: TokenBytes[] = [];
  const otherTokens: TokenBytes[] = [];
  for (const entry of usable.toSorted(compareBytes)) {
    (areWholeCharacters(entry.bytes, plainPattern) ? plainTokens : otherTokens).push(entry);
  }
  const plain = createTokenTrie(plainTokens);
  return {
    maskLength,
    endTokens: new Map([...endTokens].map((token) => [token, bytesOf(token)])),
    bytesOf: (token) => bytes[token],
    writesAll: includesRange(single, 0x80, 0xbf) && includesRange(single, 0xc2, 0xf4),
    plain,
    plainMask: addTokens(new Uint32Array(maskLength), plain.tokens, 0, plain.tokens.length),
    rest: createTokenTrie(otherTokens),
    addPlain: adderOf(plain, maskLength),
  };
}

/** Adds the tokens from index `from` up to and excluding `to` to a mask. */
function addTokens(mask: Uint32Array, tokens: Int32Array, from: number, to: number): Uint32Array {
  for (let index = from; index < to; index++) {
    // A local variable: otherwise it would be read a second time after the mask is written, at half the speed.
    const token = tokens[index]!;
    mask[token >>> 5]! |= 1 << (token & 31);
  }
  return mask;
}

function adderOf({ firstTokens, ends, tokens }: TokenTrie, maskLength: number): Vocabulary['addPlain'] {
  /** Masks of the nodes with more tokens than a mask has words. */
  const masks = new Map<number, Uint32Array>();
  return (mask, node) => {
    const first = firstTokens[node]!;
    const last = firstTokens[ends[node]!]!;
    if (last - first <= maskLength) return void addTokens(mask, tokens, first, last);
    const own = getOrCreate(masks, node, () => addTokens(new Uint32Array(maskLength), tokens, first, last));
    for (let word = 0; word < maskLength; word++) mask[word]! |= own[word]!;
  };
}

function includesRange(bytes: ReadonlySet<number>, low: number, high: number): boolean {
  for (let byte = low; byte <= high; byte++) if (!bytes.has(byte)) return false;
  return true;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
const anyPattern = /(?:)/;
const plainRanges = plainText.map(([from, to]) => `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`);
const plainPattern = new RegExp(`^[${plainRanges.join('')}]*$`, 'u');

function areWholeCharacters(bytes: Uint8Array, pattern = anyPattern): boolean {
  return orElse(() => pattern.test(utf8.decode(bytes)), false);
}

/** Assigns ids from 1 to triples of integers, the same id to equal triples; each may have a value. */
export class Triples<Value> {
  #slots = new Int32Array(256);
  readonly #parts: number[] = [];
  readonly values: (Value | undefined)[] = [undefined];

  get size(): number {
    return this.values.length - 1;
  }

  idOf(a: number, b: number, c: number): number {
    const slot = this.#slotOf(a, b, c);
    const known = this.#slots[slot]!;
    if (known > 0) return known;
    this.#parts.push(a, b, c);
    const id = this.values.push(undefined) - 1;
    this.#slots[slot] = id;
    if (2 * id > this.#slots.length) this.#grow();
    return id;
  }

  #slotOf(a: number, b: number, c: number): number {
    const parts = this.#parts;
    const mixed = Math.imul(Math.imul(Math.imul(a, 0x9e3779b1) ^ b, 0x85ebca6b) ^ c, 0xc2b2ae35);
    for (let slot = mixed ^ (mixed >>> 15); ; slot++) {
      slot &= this.#slots.length - 1;
      const at = 3 * this.#slots[slot]! - 3;
      if (at < 0 || (parts[at] === a && parts[at + 1] === b && parts[at + 2] === c)) return slot;
    }
  }

  #grow(): void {
    const parts = this.#parts;
    this.#slots = new Int32Array(2 * this.#slots.length);
    for (let id = 1; id <= this.size; id++)
      this.#slots[this.#slotOf(parts[3 * id - 3]!, parts[3 * id - 2]!, parts[3 * id - 1]!)] = id;
  }
}
