import { codePointAt, codePointBefore, isLowSurrogate } from '../aligned-text.ts';
import { writeUnits } from '../code-units.ts';
import { createHashSet, hashPair, type HashSet } from '../hash.ts';
import { readBoolean, readList, readOptionalString, type Members } from '../definition.ts';
import { createPairTable, type PairTable, mergeSymbols } from './merge.ts';
import { pushToken } from '../token-buffer.ts';
import { findByteTokens, type Vocabulary } from '../vocabulary.ts';
import { withWordCache } from '../word-cache.ts';
import { createByteSpelling } from './byte-spelling.ts';
import { createCharacterSpelling } from './character-spelling.ts';
import { type Model, type Spelling, readVocabulary, createSymbols, createUnknownId } from './model.ts';
import { utf8LengthOf } from './utf8.ts';

/** Reads merges: `[left, right]`, or `"left right"` in older files. */
function readMerges(
  label: string,
  value: unknown,
  { vocabulary, prefixLength, joints }: { vocabulary: Vocabulary; prefixLength: number; joints: HashSet },
): PairTable {
  const merges = readList(label, value);
  const { longest } = vocabulary;
  const pairs = createPairTable(merges.length);
  /** The concatenation of both tokens. */
  const joined = new Uint16Array(2 * longest);
  for (let index = 0; index < merges.length; index++) {
    const [left, right] = readMerge(label, index, merges[index]);
    if (left === undefined) continue;
    if (left.length > longest) throw unknown(left);
    if (right!.length > longest) throw unknown(right!);
    const middle = writeUnits(joined, 0, left);
    const end = writeUnits(joined, middle, right!);
    const leftId = vocabulary.find(joined, 0, middle);
    if (leftId === -1) throw unknown(left);
    const rightId = vocabulary.find(joined, middle, end);
    if (rightId === -1) throw unknown(right!);
    if (middle > 0 && middle < end)
      joints.add(hashPair(codePointBefore(joined, middle), codePointAt(joined, middle)));
    if (prefixLength > 0) joined.copyWithin(middle, middle + prefixLength, end);
    const merged = vocabulary.find(joined, 0, Math.max(middle, end - prefixLength));
    if (merged === -1) throw unknown(left + right!.slice(prefixLength));
    pairs.add(leftId, rightId, merged);
  }
  return pairs;

  function unknown(token: string): RangeError {
    return new RangeError(`${label}: token ${JSON.stringify(token)} is not in the vocabulary`);
  }
}

/** Returns an empty pair for the comment with the format's version. */
function readMerge(label: string, index: number, merge: unknown): readonly [string, string] | readonly [] {
  if (typeof merge === 'string') {
    if (merge.startsWith('#version')) return [];
    const gap = merge.indexOf(' ');
    if (gap !== -1 && !merge.includes(' ', gap + 1)) return [merge.slice(0, gap), merge.slice(gap + 1)];
    const given = JSON.stringify(merge.slice(0, 80));
    throw new RangeError(`${label}[${index}]: expected two tokens, got ${given}`);
  }
  if (
    Array.isArray(merge) &&
    merge.length === 2 &&
    typeof merge[0] === 'string' &&
    typeof merge[1] === 'string'
  )
    return merge as [string, string];
  throw new TypeError(`${label}[${index}]: expected two tokens`);
}

/** Words up to this length in code units are encoded whole; longer words are cut first if possible. */
const shortWord = 16;

/** Reads a model of the type `BPE`: the characters of a word (bytes, in byte-level models) are merged by rank. */
export function readBpe(label: string, members: Members): Model {
  const { prefix, suffix, unknownToken, fuseUnknown, byteFallback, ignoreMerges } = readSettings(
    label,
    members,
  );
  const isBare = prefix === '' && suffix === '';
  const vocabulary = readVocabulary(`${label}.vocab`, members['vocab']);
  // Pairs of characters that a merge can span. A long text can be split between any two characters that aren't such a
  // pair, with the same result.
  const joints = createHashSet(Array.isArray(members['merges']) ? members['merges'].length : 0);
  const pairs = readMerges(`${label}.merges`, members['merges'], {
    vocabulary,
    prefixLength: prefix.length,
    joints,
  });
  const characterSpelling = createCharacterSpelling({
    vocabulary,
    joints,
    prefix,
    suffix,
    idOfByte: byteFallback ? findByteTokens(vocabulary) : undefined,
    fuseUnknown,
    unknownId: unknownToken === undefined ? undefined : createUnknownId(label, unknownToken, vocabulary),
  });
  const byteSpelling = prefix === '' ? createByteSpelling({ vocabulary, joints, suffix }) : undefined;
  const symbols = createSymbols();
  const mayCutWords = isBare && !ignoreMerges;

  function createEncoder({ spellInto, findWhole, mayCut }: Spelling): Model['encodeInto'] {
    const encodeWord = withWordCache((tokens, units, start, end) => {
      const whole = ignoreMerges ? findWhole(units, start, end) : -1;
      if (whole === -1) {
        spellInto(symbols, units, start, end);
        mergeSymbols(symbols, pairs);
        const { ids, lengths, count } = symbols;
        for (let index = 0; index < count; index++) pushToken(tokens, ids[index]!, lengths[index]!);
      } else {
        pushToken(tokens, whole, utf8LengthOf(units, start, end));
      }
    });

    if (!mayCutWords) return encodeWord;
    return (tokens, units, start, end) => {
      let from = start;
      if (end - start > shortWord) {
        for (let at = start + 1; at < end; at++) {
          if (isLowSurrogate(units[at]!) || !mayCut(units, at)) continue;
          encodeWord(tokens, units, from, at);
          from = at;
        }
      }
      encodeWord(tokens, units, from, end);
    };
  }

  return {
    vocabulary,
    size: vocabulary.size,
    encodeInto: createEncoder(characterSpelling),
    bytes: byteSpelling && { knows: byteSpelling.knows, encodeInto: createEncoder(byteSpelling) },
  };
}

/** A separate function, because closures of the model would keep the definition alive. */
function readSettings(label: string, members: Members) {
  const text = (name: string): string | undefined => readOptionalString(`${label}.${name}`, members[name]);
  const flag = (name: string): boolean => readBoolean(`${label}.${name}`, members[name], false);
  if (members['dropout']) {
    const dropout = String(members['dropout']);
    throw new RangeError(
      `${label}.dropout: expected none, since encoding has no chance in it, got ${dropout}`,
    );
  }
  const settings = {
    prefix: text('continuing_subword_prefix') ?? '',
    suffix: text('end_of_word_suffix') ?? '',
    unknownToken: text('unk_token'),
    fuseUnknown: flag('fuse_unk'),
    byteFallback: flag('byte_fallback'),
    ignoreMerges: flag('ignore_merges'),
  };
  if (settings.byteFallback && settings.prefix + settings.suffix !== '')
    throw new RangeError(`${label}.byte_fallback: expected false beside a prefix or suffix of words`);
  return settings;
}
