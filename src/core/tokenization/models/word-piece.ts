import { codePointAt, unitsOf, isHighSurrogate } from '../aligned-text.ts';
import { readInteger, readString, type Members } from '../definition.ts';
import { hashStart, hashStep } from '../hash.ts';
import { pushToken } from '../token-buffer.ts';
import { toUnits } from '../vocabulary.ts';
import { createWordCache } from '../word-cache.ts';
import type { Model } from './model.ts';
import { utf8LengthOf } from './utf8.ts';
import { readVocabulary } from './vocabulary-definition.ts';

/**
 * Reads a model of the type `WordPiece`: the longest token that begins the word, then the longest with the prefix of
 * continuations that goes on from there, and so on; an unknown token for a word where that fails.
 *
 * @see https://arxiv.org/abs/1609.08144
 * @throws TypeError or RangeError for a definition that is none
 */
export function readWordPiece(label: string, members: Members): Model {
  const unknownToken = readString(`${label}.unk_token`, members['unk_token']);
  const prefix = readString(`${label}.continuing_subword_prefix`, members['continuing_subword_prefix']);
  const longestWord = readInteger(
    `${label}.max_input_chars_per_word`,
    members['max_input_chars_per_word'],
    0,
    Number.MAX_SAFE_INTEGER,
  );
  const vocabulary = readVocabulary(`${label}.vocab`, members['vocab']);
  const unknownId = vocabulary.findText(unknownToken);
  const { longest } = vocabulary;
  const cache = createWordCache();
  const prefixLength = prefix.length;
  /** The prefix and the rest of the word. */
  let continuation = new Uint16Array(prefixLength + 256);
  let prefixHash = hashStart;
  for (const unit of toUnits(prefix)) prefixHash = hashStep(prefixHash, unit);
  const hashes = new Int32Array(longest + 1);

  /** The end of the longest token in `text[start, end)` that begins at `start`, which `found` names; `start` if none. */
  function longestMatch(
    text: Uint16Array,
    start: number,
    from: number,
    end: number,
    hashBefore: number,
  ): number {
    let hash = hashBefore;
    const last = Math.min(end, start + longest);
    for (let at = from; at < last; at++) {
      hash = hashStep(hash, text[at]!);
      hashes[at - start] = hash;
    }
    for (let at = last; at > from; at--) {
      if (isHighSurrogate(text[at - 1]!)) continue;
      found = vocabulary.findHashed(hashes[at - 1 - start]!, text, start, at);
      if (found !== -1) return at;
    }
    return from;
  }
  let found = -1;

  return {
    vocabulary,
    size: vocabulary.size,
    encodeInto(tokens, units, start, end) {
      if (cache.recall(tokens, units, start, end)) return;
      const first = tokens.count;
      if (!encodePieces()) {
        if (unknownId === -1) {
          throw new RangeError(
            `${label}.unk_token: ${JSON.stringify(unknownToken)} is not in the vocabulary`,
          );
        }
        tokens.count = first;
        pushToken(tokens, unknownId, utf8LengthOf(units, start, end));
      }
      cache.keep(tokens, first);

      function encodePieces(): boolean {
        if (isLonger(units, start, end, longestWord)) return false;
        let at = longestMatch(units, start, start, end, hashStart);
        if (at === start) return false;
        pushToken(tokens, found, utf8LengthOf(units, start, at));
        const shift = prefixLength - at;
        const rest = end + shift;
        if (rest > continuation.length) continuation = new Uint16Array(2 * rest);
        for (let index = at; index < end; index++) continuation[index + shift] = units[index]!;
        while (at < end) {
          const from = at + shift;
          const next = matchContinuation(from, rest);
          if (next === from) return false;
          pushToken(tokens, found, utf8LengthOf(continuation, from, next));
          at = next - shift;
        }
        return true;
      }
    },
  };

  /** Puts the prefix in front of what is left of the word, over what was found already. */
  function matchContinuation(from: number, end: number): number {
    for (let index = 0; index < prefixLength; index++)
      continuation[from - prefixLength + index] = prefix.charCodeAt(index);
    return longestMatch(continuation, from - prefixLength, from, end, prefixHash);
  }
}

/** Whether `units[start, end)` has more than so many characters. */
function isLonger(units: Uint16Array, start: number, end: number, limit: number): boolean {
  if (end - start <= limit) return false;
  let count = 0;
  for (let at = start; at < end; at += unitsOf(codePointAt(units, at))) if (++count > limit) return true;
  return false;
}
