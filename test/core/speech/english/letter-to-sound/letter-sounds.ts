import { assertObject, assertText } from '../../../../../src/core/assert-values.ts';
import { getOrCreate } from '../../../../../src/core/get-or-create.ts';
import type { Pronunciation } from '../../../../../src/core/speech/english/arpabet-sounds.ts';

/** A word in the letters a to z, and its ARPABET sounds. */
export interface SpokenWord {
  readonly word: string;
  readonly sounds: readonly string[];
}

/** Longer words are ignored. */
const maxLetters = 40;
const letterCount = 26;
/** Every sixth word is enough to learn the sounds of letters. */
const stride = 6;
const rounds = 4;
/** Added if a letter takes two sounds, which is rare: `x`, and the `u` of `cure`. */
const costOfTwo = 0.5;
const beginning = 0x61;

/**
 * The dictionary's words in the letters a to z, without apostrophes, each with its first pronunciation. Remarks after
 * `#` are dropped.
 */
export function toSpokenWords(dictionary: Readonly<Record<string, Pronunciation>>): SpokenWord[] {
  assertObject('dictionary', dictionary);
  const words: SpokenWord[] = [];
  for (const key of Object.keys(dictionary)) {
    const pronunciation = dictionary[key]!;
    if (typeof pronunciation !== 'string') assertText(`dictionary.${key}`, pronunciation);
    const word = key.replaceAll("'", '');
    if (!/^[a-z]+$/.test(word)) continue;
    const remark = pronunciation.indexOf(' #');
    words.push({ word, sounds: (remark < 0 ? pronunciation : pronunciation.slice(0, remark)).split(' ') });
  }
  return words;
}

/**
 * Learns each letter's sounds: zero, one or two, in word order. It begins with the sounds near the letter's position,
 * then alternates between counting the best splits and splitting by these counts (Viterbi training). Source: V. Pagel,
 * K. Lenzo, A. Black: Letter to sound rules for accented lexicon compression (1998)
 */
export function learnAlignment(
  words: readonly SpokenWord[],
): (word: SpokenWord) => Uint8Array<ArrayBuffer> | undefined {
  const ids = new Map<string, number>();
  const idOf = (sound: string): number => {
    const name = sound.replace(/\d$/, '');
    if (!/^[A-Z]{1,2}$/.test(name))
      throw new RangeError(`dictionary: expected ARPABET, got ${JSON.stringify(sound)}`);
    return getOrCreate(ids, name, () => ids.size);
  };
  const codes = new Map<string, number>();
  for (const { sounds } of words)
    for (const sound of sounds) if (!codes.has(sound)) codes.set(sound, idOf(sound));
  const size = ids.size;
  const widest = 2 * maxLetters + 1;
  const letters = new Uint8Array(maxLetters);
  const spoken = new Uint16Array(widest);
  const costs = new Float32Array((maxLetters + 1) * widest);
  const steps = new Uint8Array(costs.length);
  const split = new Uint8Array(maxLetters);
  /** Columns of a letter: no sound, one of `size` sounds, a pair of sounds. */
  const width = 1 + size + size * size;
  const counts = new Float32Array(letterCount * width);
  const costOf = new Float32Array(counts.length);
  const unit = (letter: number, at: number, length: number): number => {
    if (length === 0) return letter * width;
    if (length === 1) return letter * width + 1 + spoken[at]!;
    return letter * width + 1 + size + spoken[at]! * size + spoken[at + 1]!;
  };

  const read = ({ word, sounds }: SpokenWord): boolean => {
    if (word.length > maxLetters || sounds.length > 2 * word.length) return false;
    for (let at = 0; at < word.length; at++) letters[at] = word.charCodeAt(at) - beginning;
    for (let at = 0; at < sounds.length; at++) spoken[at] = codes.get(sounds[at]!)!;
    return true;
  };

  const align = (length: number, last: number): void => {
    const row = last + 1;
    costs.fill(Infinity, 0, (length + 1) * row);
    costs[0] = 0;
    for (let at = 0; at < length; at++) {
      const highest = Math.min(last, 2 * at);
      for (let said = Math.max(0, last - 2 * (length - at)); said <= highest; said++) {
        const most = Math.min(2, last - said);
        for (let step = 0; step <= most; step++) {
          const cost = costs[at * row + said]! + costOf[unit(letters[at]!, said, step)]!;
          const next = (at + 1) * row + said + step;
          if (cost >= costs[next]!) continue;
          costs[next] = cost;
          steps[next] = step;
        }
      }
    }
    for (let at = length, said = last; at > 0; at--) {
      const step = steps[at * row + said]!;
      split[at - 1] = step;
      said -= step;
    }
  };

  const toCosts = (): void => {
    for (let letter = 0; letter < letterCount; letter++) {
      const row = counts.subarray(letter * width, (letter + 1) * width);
      const total = row.reduce((sum, count) => sum + count, 0);
      for (let at = 0; at < width; at++)
        costOf[letter * width + at] = (at > size ? costOfTwo : 0) - Math.log(row[at]! / total);
    }
  };

  for (let round = 0; round <= rounds; round++) {
    counts.fill(0.001);
    for (let index = 0; index < words.length; index += stride) {
      const { word, sounds } = words[index]!;
      if (!read(words[index]!)) continue;
      if (round > 0) align(word.length, sounds.length);
      for (let at = 0, said = 0; at < word.length; at++) {
        if (round > 0) {
          counts[unit(letters[at]!, said, split[at]!)]! += 1;
          said += split[at]!;
          continue;
        }
        const near = Math.round(((at + 0.5) * sounds.length) / word.length - 0.5);
        counts[unit(letters[at]!, 0, 0)]! += 0.2;
        for (let beside = near - 1; beside <= near + 1; beside++) {
          if (beside >= 0 && beside < sounds.length)
            counts[unit(letters[at]!, beside, 1)]! += beside === near ? 1 : 0.5;
        }
      }
    }
    toCosts();
  }

  return (word) => {
    if (!read(word)) return undefined;
    align(word.word.length, word.sounds.length);
    return split.subarray(0, word.word.length);
  };
}
