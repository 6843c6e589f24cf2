import { getOrCreate } from '../../get-or-create.ts';
import { orElse } from '../../text/or-else.ts';
import { compareBytes, createTokenTrie, type TokenBytes, type TokenTrie } from './token-trie.ts';

/** The tokens of a model, prepared for finding those that a grammar allows. */
export interface Vocabulary {
  /** Words of a mask: bit `t % 32` of word `t / 32` stands for token `t`. */
  readonly maskLength: number;
  /** Tokens that end the text, with what they stand for in it, if anything. */
  readonly endTokens: ReadonlyMap<number, Uint8Array>;
  /** @returns undefined for tokens that are never part of text, and for end tokens */
  bytesOf(token: number): Uint8Array | undefined;
  /** Whether all characters can be written as they are, byte by byte if need be. */
  readonly writesAll: boolean;
  /** Tokens of characters of `plainText` alone. */
  readonly plain: TokenTrie;
  readonly plainMask: Uint32Array;
  /** All other tokens. */
  readonly rest: TokenTrie;
  /** Adds the plain tokens that begin with the bytes that lead to a node. */
  addPlain(mask: Uint32Array, node: number): void;
}

export interface VocabularyOptions {
  /** Logits per step; tokens beyond what the tokenizer knows are never allowed. */
  readonly size: number;
  readonly endTokens: ReadonlySet<number>;
  /** Bytes of a token's text; none for control tokens. */
  bytesOf(token: number): Uint8Array;
}

/** Costs about a second for 150,000 tokens. */
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
  // A character that one token begins can be completed by others then, whichever it is.
  const usable = includesRange(single, 0x80, 0xbf)
    ? known
    : known.filter((entry) => areWholeCharacters(entry.bytes));
  const maskLength = Math.ceil(size / 32);
  const plainTokens: TokenBytes[] = [];
  const otherTokens: TokenBytes[] = [];
  for (const entry of usable.toSorted(compareBytes)) {
    const isPlainToken = areWholeCharacters(entry.bytes) && isPlain(entry.bytes);
    (isPlainToken ? plainTokens : otherTokens).push(entry);
  }
  const plain = createTokenTrie(plainTokens);
  return {
    maskLength,
    endTokens: new Map([...endTokens].map((token) => [token, bytesOf(token)])),
    bytesOf: (token) => bytes[token],
    writesAll: includesRange(single, 0x80, 0xbf) && includesRange(single, 0xc2, 0xf4),
    plain,
    plainMask: maskOf(plain.tokens, maskLength),
    rest: createTokenTrie(otherTokens),
    addPlain: adderOf(plain, maskLength),
  };
}

function maskOf(tokens: Int32Array, maskLength: number): Uint32Array {
  const mask = new Uint32Array(maskLength);
  for (const token of tokens) mask[token >>> 5]! |= 1 << (token & 31);
  return mask;
}

function adderOf({ firstTokens, ends, tokens }: TokenTrie, maskLength: number): Vocabulary['addPlain'] {
  /** Masks of the nodes with more tokens than a mask has words. */
  const masks = new Map<number, Uint32Array>();
  return (mask, node) => {
    const first = firstTokens[node]!;
    const last = firstTokens[ends[node]!]!;
    if (last - first <= maskLength) {
      for (let index = first; index < last; index++) {
        const token = tokens[index]!;
        mask[token >>> 5]! |= 1 << (token & 31);
      }
      return;
    }
    const own = getOrCreate(masks, node, () => maskOf(tokens.subarray(first, last), maskLength));
    for (let word = 0; word < maskLength; word++) mask[word]! |= own[word]!;
  };
}

/** Whether whole characters are all of `plainText`. */
function isPlain(bytes: Uint8Array): boolean {
  return bytes.every((byte, index) => {
    if (byte < 0x20 || byte === 0x22 || byte === 0x3c || byte === 0x5c || byte === 0x5d) return false;
    const isSeparator = byte === 0xe2 && bytes[index + 1] === 0x80 && (bytes[index + 2]! & 0xfe) === 0xa8;
    return !isSeparator;
  });
}

function includesRange(bytes: ReadonlySet<number>, low: number, high: number): boolean {
  for (let byte = low; byte <= high; byte++) if (!bytes.has(byte)) return false;
  return true;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function areWholeCharacters(bytes: Uint8Array): boolean {
  return orElse(() => utf8.decode(bytes) !== undefined, false);
}

/** Numbers triples of whole numbers from 1 on, equal ones alike; each may have a value. */
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
