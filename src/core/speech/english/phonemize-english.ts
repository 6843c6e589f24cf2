import { assertText } from '../../assert-values.ts';
import { runSteps } from '../../run-steps.ts';
import { arpabetToPhonemes } from '../arpabet.ts';
import { beginsWithVowel } from './arpabet-sounds.ts';
import type { LetterToSoundModel } from './letter-to-sound-model.ts';
import { pronounceWord } from './pronounce-word.ts';
import type { LookUp } from './word-parts.ts';

export interface PhonemizeOptions {
  /**
   * Returns the ARPABET of a word in lower case, of a letter's name as `b.`, and of variants as `read(2)`, from a dictionary
   * like that of the package `cmu-pronouncing-dictionary`. Without it, words are spelled unless `letterToSound` is given.
   */
  readonly lookUp?: LookUp | undefined;
  /** Pronounces the words that `lookUp` lacks, from {@link letterToSound}; default: they are spelled. */
  readonly letterToSound?: LetterToSoundModel | undefined;
}

/** A word as written, or the gap between two words. */
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
 * Converts an English sentence to Kokoro's phonemes: each word from a dictionary, from its parts or from
 * `letterToSound`, initials letter by letter, words like `of` without stress. Letters of non-Latin scripts are dropped.
 *
 * @param text the output of `normalizeEnglish`
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

/** Like `phonemizeEnglish`, but yields after each word. */
export function* phonemizeSteps(
  text: string,
  { lookUp = knowNothing, letterToSound }: PhonemizeOptions,
): Generator<void, string> {
  assertText('text', text);
  const all = tokenize(text);
  const isShouted = shouted.test(text) && !/\p{Ll}/u.test(text);
  let phonemes = '';
  let nextBeginsWithVowel = false;
  // From the end, since `the` and `to` depend on the following word.
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

/** The adjacent word; empty if punctuation separates them. */
function wordBeside(all: readonly Token[], at: number, step: 1 | -1): string {
  return all[at + step]?.gap === ' ' ? (all[at + 2 * step]?.word ?? '') : '';
}
