import { codePointAt, isHighSurrogate, unitsOf } from '../aligned-text.ts';
import { toUnits } from '../code-units.ts';
import { readInteger, readString, type Members } from '../definition.ts';
import { hashOf, hashStart, hashStep } from '../hash.ts';
import { pushToken, type TokenBuffer } from '../token-buffer.ts';
import { withWordCache } from '../word-cache.ts';
import { createUnknownId, type Model, readVocabulary } from './model.ts';
import { utf8LengthOf } from './utf8.ts';

/**
 * Reads a model of the type `WordPiece`: the longest token at the start of the word, then the longest continuation
 * (with the prefix) from there, and so on; a word that can't be completed becomes the unknown token.
 * @see https://arxiv.org/abs/1609.08144
 */
export function readWordPiece(label: string, members: Members): Model {
  const unknownToken = readString(`${label}.unk_token`, members['unk_token']);
  const prefix = toUnits(
    readString(`${label}.continuing_subword_prefix`, members['continuing_subword_prefix']),
  );
  const maxWordLength = readInteger(
    `${label}.max_input_chars_per_word`,
    members['max_input_chars_per_word'],
    0,
    Number.MAX_SAFE_INTEGER,
  );
  const vocabulary = readVocabulary(`${label}.vocab`, members['vocab']);
  const unknownId = createUnknownId(label, unknownToken, vocabulary);
  const { longest } = vocabulary;
  const prefixHash = hashOf(prefix, 0, prefix.length);
  /** The prefix, then the word. */
  let word = new Uint16Array(prefix.length + 256);
  /** Hashes of all candidates at the current start. */
  const hashes = new Int32Array(longest + 1);
  /** The last token that `findLongestMatch` found, −1 without a match. */
  let found = -1;

  /** The end of the longest token in `word[start, …)` that ends after `from`; `hash` is the hash of `word[start, from)`. */
  function findLongestMatch(start: number, from: number, end: number, hash: number): number {
    const last = Math.min(end, start + longest);
    let running = hash;
    for (let at = from; at < last; at++) {
      running = hashStep(running, word[at]!);
      hashes[at - start] = running;
    }
    for (let at = last; at > from; at--) {
      if (isHighSurrogate(word[at - 1]!)) continue;
      found = vocabulary.findHashed(hashes[at - 1 - start]!, word, start, at);
      if (found !== -1) return at;
    }
    found = -1;
    return from;
  }

  /** False if the word can't be composed. */
  function appendPieces(tokens: TokenBuffer, units: Uint16Array, start: number, end: number): boolean {
    const first = prefix.length;
    const last = first + end - start;
    if (last > word.length) word = new Uint16Array(2 * last);
    for (let index = start; index < end; index++) word[first + index - start] = units[index]!;
    for (let at = first; at < last;) {
      // The prefix overwrites characters that are already encoded.
      if (at > first) word.set(prefix, at - first);
      const next =
        at === first
          ? findLongestMatch(first, first, last, hashStart)
          : findLongestMatch(at - first, at, last, prefixHash);
      if (found === -1) return false;
      pushToken(tokens, found, utf8LengthOf(word, at, next));
      at = next;
    }
    return true;
  }

  return {
    vocabulary,
    size: vocabulary.size,
    encodeInto: withWordCache((tokens, units, start, end) => {
      const first = tokens.count;
      if (!isLonger(units, start, end, maxWordLength) && appendPieces(tokens, units, start, end)) return;
      tokens.count = first;
      pushToken(tokens, unknownId(), utf8LengthOf(units, start, end));
    }),
  };
}

/** Whether `units[start, end)` has more than `limit` characters. */
function isLonger(units: Uint16Array, start: number, end: number, limit: number): boolean {
  if (end - start <= limit) return false;
  let count = 0;
  for (let at = start; at < end; at += unitsOf(codePointAt(units, at))) if (++count > limit) return true;
  return false;
}
