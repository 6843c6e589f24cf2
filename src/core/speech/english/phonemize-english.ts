import { assertText } from '../../assert-values.ts';
import { runSteps } from '../../run-steps.ts';
import { arpabetToPhonemes } from '../arpabet.ts';
import { beginsWithVowel } from './arpabet-sounds.ts';
import type { LetterToSoundModel } from './letter-to-sound-model.ts';
import { pronounceWord } from './pronounce-word.ts';
import type { LookUp } from './word-parts.ts';

export interface PhonemizeOptions {
  /**
   * Finds the ARPABET of a word in small letters, of a letter's name as `b.`, and of further ways to say a word as
   * `read(2)`, as `dictionary` of the package `cmu-pronouncing-dictionary` has them. Without it, words are spelled
   * unless `letterToSound` says them.
   */
  readonly lookUp?: LookUp | undefined;
  /** Says the words that `lookUp` doesn't know, as {@link learnLetterToSound} makes it; default: they are spelled. */
  readonly letterToSound?: LetterToSoundModel | undefined;
}

/** A word as it is written, or what stands between two. */
interface Token {
  readonly word: string | undefined;
  /** Punctuation with the spaces around it, or one space. */
  readonly gap: string;
}

const tokens =
  /(?<word>[\p{L}\p{M}]+(?:'[\p{L}\p{M}]+)*)|(?<mark>[ ]*[;:,.!?—…"()][;:,.!?—…"() ]*)|[^\p{L}\p{M};:,.!?—…"()]+/gu;

const knowNothing: LookUp = () => undefined;

const endOfSentence = /[.!?]/;
/** Shorter words may be initials. */
const shouted = /\p{Lu}{4}/u;

/**
 * Tells how an English sentence is pronounced, in Kokoro's phonemes: each word by a dictionary, by its parts or by
 * `letterToSound`, initials letter by letter, words like `of` without stress. Letters of other scripts are left out.
 *
 * @param text as `normalizeEnglish` leaves it
 *
 * @example
 * ```ts
 * const words = { the: 'DH AH0', apple: 'AE1 P AH0 L', 'u.': 'Y UW1', 's.': 'EH1 S', 'b.': 'B IY1' };
 * const lookUp = (word: string) => words[word as keyof typeof words];
 * phonemizeEnglish('the apple, the USB', { lookUp }); // 'ði ˈæpəl, ðə jˈu ˈɛs bˈi'
 * phonemizeEnglish('a bus'); // 'ə bˈi jˈu ˈɛs'
 * ```
 */
export function phonemizeEnglish(text: string, options: PhonemizeOptions = {}): string {
  return runSteps(phonemizeSteps(text, options));
}

/** The same in slices: yields after each word. */
export function* phonemizeSteps(
  text: string,
  { lookUp = knowNothing, letterToSound }: PhonemizeOptions,
): Generator<void, string> {
  assertText('text', text);
  const all = tokenize(text);
  const isShouted = shouted.test(text) && !/\p{Ll}/u.test(text);
  let phonemes = '';
  let nextBeginsWithVowel = false;
  // From the end, since `the` and `to` depend on the word that follows.
  for (let at = all.length - 1; at >= 0; at--) {
    const { word, gap } = all[at]!;
    if (word === undefined) {
      phonemes = gap + phonemes;
      continue;
    }
    yield;
    const pronunciations = pronounceWord(isShouted ? word.toLowerCase() : word, {
      before: wordBeside(all, at, -1),
      after: wordBeside(all, at, 1),
      endsSentence: at === all.length - 1 || endOfSentence.test(all[at + 1]!.gap),
      nextBeginsWithVowel,
      lookUp,
      letterToSound,
    });
    if (pronunciations.length === 0) continue;
    nextBeginsWithVowel = beginsWithVowel(pronunciations[0]!);
    phonemes = pronunciations.map(arpabetToPhonemes).join(' ') + phonemes;
  }
  return phonemes.replace(/ {2,}/g, ' ').trim();
}

function tokenize(text: string): Token[] {
  return Array.from(text.matchAll(tokens), ({ groups = {} }) => ({
    word: groups['word'],
    gap: groups['mark'] ?? ' ',
  }));
}

/** The word before or after another; empty where there is punctuation between them. */
function wordBeside(all: readonly Token[], at: number, step: 1 | -1): string {
  return all[at + step]?.gap === ' ' ? (all[at + 2 * step]?.word ?? '') : '';
}
