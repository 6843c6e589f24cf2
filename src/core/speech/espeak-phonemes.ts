type Replacement = readonly [ipa: string, phoneme: string];

/** Phonemes that eSpeak NG and Kokoro write differently in every variety of English. */
const english: readonly Replacement[] = [
  ['aɪ', 'I'],
  ['aʊ', 'W'],
  ['eɪ', 'A'],
  ['ɔɪ', 'Y'],
  ['tʃ', 'ʧ'],
  ['dʒ', 'ʤ'],
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
 * Rewrites the IPA of eSpeak NG in the phonemes that Kokoro was trained on: diphthongs and affricates are one phoneme
 * each. Languages other than English stay as they are, since for those Kokoro was trained on eSpeak's own.
 *
 * @param language BCP 47
 *
 * @example
 * ```ts
 * fromEspeakPhonemes('həlˈoʊ wˈɜːld', 'en-US'); // 'həlˈO wˈɜɹld'
 * ```
 */
export function fromEspeakPhonemes(ipa: string, language: string): string {
  if (!language.startsWith('en')) return ipa;
  const replacements = [...(language === 'en-GB' ? british : american), ...english];
  return replacements.reduce((phonemes, [from, to]) => phonemes.replaceAll(from, to), ipa);
}
