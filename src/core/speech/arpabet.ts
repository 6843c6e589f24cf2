import { tableOf } from './table-of.ts';
import { assertText } from '../assert-values.ts';
/**
 * Kokoro's phonemes for each ARPABET sound of CMUdict's American English, without stress digits. Diphthongs and
 * affricates are one phoneme each. Unstressed `AH` and `ER` differ: {@link unstressedVowels}. Source:
 * http://www.speech.cs.cmu.edu/cgi-bin/cmudict, https://github.com/hexgrad/misaki
 */
const arpabetPhonemes = tableOf(
  `AA:ɑ, AE:æ, AH:ʌ, AO:ɔ, AW:W, AY:I, B:b, CH:ʧ, D:d, DH:ð, EH:ɛ, ER:ɜɹ, EY:A, F:f, G:ɡ, HH:h, IH:ɪ, IY:i, JH:ʤ,
K:k, L:l, M:m, N:n, NG:ŋ, OW:O, OY:Y, P:p, R:ɹ, S:s, SH:ʃ, T:t, TH:θ, UH:ʊ, UW:u, V:v, W:w, Y:j, Z:z, ZH:ʒ`,
);

/** Kokoro's phonemes for the ARPABET vowels that sound different without stress. */
const unstressedVowels: Readonly<Record<string, string>> = { AH: 'ə', ER: 'əɹ' };

const stressMarks: Readonly<Record<string, string>> = { '0': '', '1': 'ˈ', '2': 'ˌ' };

/**
 * Converts an ARPABET pronunciation to Kokoro's phonemes; the stress mark of a syllable directly precedes its vowel.
 *
 * @param pronunciation sounds separated by spaces, vowels with a stress digit: `S ER1 K AH0 L`
 * @throws RangeError for an unknown sound
 *
 * @example
 * ```ts
 * arpabetToPhonemes('S ER1 K AH0 L'); // 'sˈɜɹkəl'
 * ```
 */
export function arpabetToPhonemes(pronunciation: string): string {
  assertText('pronunciation', pronunciation);
  return pronunciation.trim().split(/\s+/).map(toPhoneme).join('');
}

function toPhoneme(sound: string): string {
  const [, name = '', stress = ''] = /^([A-Z]+)([012]?)$/.exec(sound) ?? [];
  const phoneme = (stress === '0' ? unstressedVowels[name] : undefined) ?? arpabetPhonemes[name];
  if (phoneme === undefined) throw new RangeError(`pronunciation: expected ARPABET, got "${sound}"`);
  return (stressMarks[stress] ?? '') + phoneme;
}
