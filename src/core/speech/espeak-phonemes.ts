type Replacement = readonly [ipa: string, phoneme: string];

/** Two eSpeak NG symbols that are one phoneme in both eSpeak NG and Kokoro. */
const pairs: readonly Replacement[] = [
  ['aɪ', 'I'],
  ['aʊ', 'W'],
  ['eɪ', 'A'],
  ['ɔɪ', 'Y'],
  ['tʃ', 'ʧ'],
  ['dʒ', 'ʤ'],
];

/** Phonemes that eSpeak NG and Kokoro write differently in every variety of English. */
const english: readonly Replacement[] = [
  ['ɚ', 'əɹ'],
  ['ɐ', 'ə'],
  ['r', 'ɹ'],
  ['x', 'k'],
  ['ç', 'k'],
  ['ɬ', 'l'],
  ['ʲ', ''],
  ['\u0303', ''],
  ['\u0329', ''],
];

/** Italian has these too. In Spanish they are two adjacent sounds. */
const affricates: readonly Replacement[] = [
  ['ts', 'ʦ'],
  ['dz', 'ʣ'],
];

const american: readonly Replacement[] = [
  ['oʊ', 'O'],
  ['ɜː', 'ɜɹ'],
  ['ɾ', 'T'],
  ['ʔ', 't'],
  ['ː', ''],
  ['o', 'ɔ'],
];

const british: readonly Replacement[] = [
  ['əʊ', 'Q'],
  ['oʊ', 'Q'],
  ['eə', 'ɛː'],
  ['ʔ', 't'],
];

/**
 * Converts the IPA of eSpeak NG to Kokoro's phonemes: diphthongs and affricates are one phoneme each. English has more
 * differences, since Kokoro's English voices were trained with a different phonemizer.
 */
export function fromEspeakPhonemes(ipa: string, language: string): string {
  const variety = language === 'en-GB' ? british : american;
  const replacements = language.startsWith('en') ? [...variety, ...pairs, ...english] : othersOf(language);
  return replacements.reduce((phonemes, [from, to]) => phonemes.replaceAll(from, to), ipa);
}

/** The symbols that `toEspeakPhonemes` can produce for English. */
export const espeakEnglishSymbols = 'abdefhijklmnopstuvwzæðŋɑɔəɚɛɜɡɪɹɾʃʊʌʒθˈˌː';

const vowels = 'AIOWYæɑɔəɛɜiɪuʊʌ';

/** In this order: length marks precede the diphthongs, which have none. */
const inEspeak: readonly (readonly [pattern: RegExp, ipa: string])[] = [
  [new RegExp(`(?<=[${vowels}ɹ])t(?=[${vowels}])`, 'gu'), 'ɾ'],
  [/ɜɹ/gu, 'ɜː'],
  [new RegExp(`əɹ(?![ˈˌ]?[${vowels}])`, 'gu'), 'ɚ'],
  [/ɔ(?=ɹ)/gu, 'oː'],
  [/[ɑɔu]|(?<=[ˈˌ])i/gu, '$&ː'],
];

/** Converts Kokoro's American English to the notation of eSpeak NG, for voices trained with eSpeak NG. */
export function toEspeakPhonemes(phonemes: string): string {
  const ipa = inEspeak.reduce((text, [pattern, to]) => text.replace(pattern, to), phonemes);
  return [...pairs, ['oʊ', 'O'] as const].reduce((text, [to, from]) => text.replaceAll(from, to), ipa);
}

function othersOf(language: string): readonly Replacement[] {
  const linking: Replacement = ['-', ''];
  // French lacks these sounds; two adjacent symbols are two sounds.
  if (language.startsWith('fr')) return [linking];
  return [linking, ...pairs, ...(language === 'it' ? affricates : [['oʊ', 'O'] as const])];
}

const consonants = 'bdfhjklmnpstvwzðŋɡɹʃʒʤʧθ';
const notStressed = '(?<![ˈˌ])';
/** A consonant that begins the next syllable, possibly followed by a glide. */
const nextSyllable = `(?=[${consonants}](?:(?<![lmnŋɹjw])[lɹjw])?[ˈˌ]?[${vowels}])`;

const habits: readonly (readonly [pattern: RegExp, phonemes: string])[] = [
  [new RegExp(`${notStressed}ɪ(?!ŋ)${nextSyllable}`, 'gu'), 'ə'],
  [/(?<=[szʃʒʧʤ])ə(?=z(?!\p{L}|[ˈˌ]))|(?<=[td])ə(?=d(?!\p{L}|[ˈˌ]))/gu, 'ɪ'],
];

/**
 * Rewrites American English in the style of Kokoro's training dictionary: CMUdict writes `ɪ` or `ə` for the same weak
 * vowel, Kokoro's `ə` at the end of a syllable, and `ɪ` in `-es` and `-ed`. Source: https://github.com/hexgrad/misaki
 */
export function toMisakiPhonemes(phonemes: string): string {
  return habits.reduce((text, [pattern, to]) => text.replace(pattern, to), phonemes);
}
