const consonants = 'bdfhjklmnpstvwzðŋɡɹʃʒʤʧθ';
const vowels = 'AIOWYiuæɑɔəɛɜɪʊʌ';
const notStressed = '(?<![ˈˌ])';
/** A consonant that begins the next syllable, alone or before another that glides. */
const nextSyllable = `(?=[${consonants}](?:(?<![lmnŋɹjw])[lɹjw])?[ˈˌ]?[${vowels}])`;

const habits: readonly (readonly [pattern: RegExp, phonemes: string])[] = [
  [new RegExp(`${notStressed}ɪ(?!ŋ)${nextSyllable}`, 'gu'), 'ə'],
  [/(?<=[szʃʒʧʤ])ə(?=z(?!\p{L}|[ˈˌ]))|(?<=[td])ə(?=d(?!\p{L}|[ˈˌ]))/gu, 'ɪ'],
];

/**
 * Rewrites American English as the dictionary does that Kokoro learned from: CMUdict writes `ɪ` or `ə` for the same weak vowel,
 * that one writes `ə` where the syllable ends in it, and `ɪ` in `-es` and `-ed`. Source: https://github.com/hexgrad/misaki
 */
export function toMisakiPhonemes(phonemes: string): string {
  return habits.reduce((text, [pattern, to]) => text.replace(pattern, to), phonemes);
}
