import { codePointAt, isHighSurrogate, unitsOf } from '../aligned-text.ts';
import { readBoolean, readInteger, readList, readString, type Members } from '../definition.ts';
import { createHashSet, hashEnd, hashStart, hashStep, type HashSet } from '../hash.ts';
import { keptCapacity, pushLiteralToken, pushToken, sameSpan, type TokenBuffer } from '../token-buffer.ts';
import { createVocabulary, maxTokenId, findByteTokens, type Vocabulary } from '../vocabulary.ts';
import { withWordCache } from '../word-cache.ts';
import type { Model } from './model.ts';
import { utf8LengthOf, writeUtf8 } from './utf8.ts';

/** The score of an unknown character is this much below the worst token's. */
const unknownPenalty = 10;

/**
 * Reads a model of the type `Unigram`: of all segmentations of a word, the one with the highest sum of scores
 * (Viterbi). Unknown characters score 10 below the lowest score; adjacent ones become one token.
 * @see https://arxiv.org/abs/1804.10959
 */
export function readUnigram(label: string, members: Members): Model {
  const entries = readList(`${label}.vocab`, members['vocab']);
  if (entries.length > maxTokenId) throw new RangeError(`${label}.vocab: expected fewer entries`);
  const texts: string[] = [];
  const scores = new Float64Array(entries.length);
  let lowest = Infinity;
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index];
    if (!Array.isArray(entry) || typeof entry[0] !== 'string' || typeof entry[1] !== 'number') {
      const [token, score] = readList(`${label}.vocab[${index}]`, entry);
      readString(`${label}.vocab[${index}][0]`, token);
      throw new TypeError(`${label}.vocab[${index}][1]: expected a number, got ${String(score)}`);
    }
    texts.push(entry[0]);
    scores[index] = entry[1];
    lowest = Math.min(lowest, entry[1]);
  }
  const unknownId =
    members['unk_id'] === undefined || members['unk_id'] === null
      ? -1
      : readInteger(`${label}.unk_id`, members['unk_id'], 0, entries.length - 1);
  const byteFallback = readBoolean(`${label}.byte_fallback`, members['byte_fallback'], false);
  const vocabulary = createVocabulary(texts, Int32Array.from(texts.keys()));
  const unknownScore = lowest - unknownPenalty;
  const idOfByte = byteFallback ? findByteTokens(vocabulary) : undefined;
  const beginnings = createBeginnings(texts);
  const paths = new BestPaths({ label, vocabulary, scores, unknownId, unknownScore, idOfByte, beginnings });
  return {
    vocabulary,
    size: entries.length,
    encodeInto: withWordCache((tokens, units, start, end) => paths.encodeInto(tokens, units, start, end)),
  };
}

interface ScoredTokens {
  readonly label: string;
  readonly vocabulary: Vocabulary;
  readonly scores: Float64Array;
  /** −1 if missing. */
  readonly unknownId: number;
  readonly unknownScore: number;
  readonly idOfByte: Int32Array | undefined;
  readonly beginnings: HashSet;
}

class BestPaths {
  readonly #tokens: ScoredTokens;
  readonly #bytes = new Uint8Array(4);
  #room = 0;
  /** The best path to each position: its score, the start of its last token (−1: no path), and that token. */
  #bestScores = new Float64Array(0);
  #bestStarts = new Int32Array(0);
  #bestIds = new Int32Array(0);

  constructor(tokens: ScoredTokens) {
    this.#tokens = tokens;
  }

  encodeInto(tokens: TokenBuffer, units: Uint16Array, start: number, end: number): void {
    this.#findBest(units, start, end);
    this.#appendBest(tokens, units, start, end - start);
  }

  #reserve(length: number): void {
    if (length <= this.#room && (this.#room <= keptCapacity || length > keptCapacity)) return;
    this.#room = Math.max(256, length);
    this.#bestScores = new Float64Array(this.#room);
    this.#bestStarts = new Int32Array(this.#room);
    this.#bestIds = new Int32Array(this.#room);
  }

  #offer(place: number, score: number, start: number, id: number): void {
    if (this.#bestStarts[place] !== -1 && !(score > this.#bestScores[place]!)) return;
    this.#bestScores[place] = score;
    this.#bestStarts[place] = start;
    this.#bestIds[place] = id;
  }

  #findBest(units: Uint16Array, start: number, end: number): void {
    const { label, vocabulary, scores, unknownId, unknownScore, beginnings } = this.#tokens;
    const { longest } = vocabulary;
    const length = end - start;
    this.#reserve(length + 1);
    this.#bestStarts.fill(-1, 0, length + 1);
    this.#bestScores[0] = 0;
    for (let at = 0; at < length;) {
      const score = this.#bestScores[at]!;
      const size = unitsOf(codePointAt(units, start + at));
      let hasSingle = false;
      let hash = hashStart;
      const last = Math.min(length, at + longest);
      for (let next = at; next < last;) {
        hash = hashStep(hash, units[start + next++]!);
        if (!beginnings.has(hashEnd(hash))) break;
        if (isHighSurrogate(units[start + next - 1]!)) continue;
        const id = vocabulary.findHashed(hash, units, start + at, start + next);
        if (id === -1) continue;
        this.#offer(next, score + scores[id]!, at, id);
        if (next - at === size) hasSingle = true;
      }
      if (!hasSingle) {
        if (unknownId === -1)
          throw new RangeError(`${label}.unk_id: missing, but the text has unknown characters`);
        this.#offer(at + size, score + unknownScore, at, unknownId);
      }
      at += size;
    }
  }

  /** Reverses the chain of best tokens, so that each position points to the next one. */
  #appendBest(tokens: TokenBuffer, units: Uint16Array, start: number, length: number): void {
    const { unknownId } = this.#tokens;
    let following = -1;
    for (let at = length; at !== -1;) {
      const before = at === 0 ? -1 : this.#bestStarts[at]!;
      this.#bestStarts[at] = following;
      following = at;
      at = before;
    }
    for (let at = 0; at < length;) {
      let next = this.#bestStarts[at]!;
      if (this.#bestIds[next] === unknownId) {
        while (next < length && this.#bestIds[this.#bestStarts[next]!] === unknownId)
          next = this.#bestStarts[next]!;
        this.#appendUnknown(tokens, units, start + at, start + next);
      } else {
        pushToken(tokens, this.#bestIds[next]!, utf8LengthOf(units, start + at, start + next));
      }
      at = next;
    }
  }

  #appendUnknown(tokens: TokenBuffer, units: Uint16Array, start: number, end: number): void {
    const { vocabulary, unknownId } = this.#tokens;
    const known = vocabulary.find(units, start, end);
    const length = utf8LengthOf(units, start, end);
    if (known !== -1) pushToken(tokens, known, length);
    else if (!this.#appendBytes(tokens, units, start, end, length))
      pushLiteralToken(tokens, unknownId, length);
  }

  #appendBytes(tokens: TokenBuffer, units: Uint16Array, start: number, end: number, length: number): boolean {
    const { idOfByte } = this.#tokens;
    if (!idOfByte) return false;
    const first = tokens.count;
    for (let at = start; at < end;) {
      const codePoint = codePointAt(units, at);
      const count = writeUtf8(this.#bytes, 0, codePoint);
      for (let index = 0; index < count; index++) {
        const id = idOfByte[this.#bytes[index]!]!;
        if (id === -1) {
          tokens.count = first;
          return false;
        }
        pushToken(tokens, id, tokens.count === first ? length : sameSpan);
      }
      at += unitsOf(codePoint);
    }
    return true;
  }
}

/** The mixed hashes of all prefixes of tokens. */
function createBeginnings(tokens: readonly string[]): HashSet {
  const beginnings = createHashSet(tokens.reduce((total, token) => total + token.length, 0));
  for (const token of tokens) {
    let hash = hashStart;
    for (let index = 0; index < token.length; index++) {
      hash = hashStep(hash, token.charCodeAt(index));
      beginnings.add(hashEnd(hash));
    }
  }
  return beginnings;
}
