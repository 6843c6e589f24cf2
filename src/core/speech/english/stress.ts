import { isVowel, type Pronunciation } from './arpabet-sounds.ts';

/** Endings that are stressed themselves. */
const onLast = /(?:ee|eer|ette|esque|ique|oon|aire|een)s?$/;
/** Endings that put the stress on the vowel before them; the number of vowels that they hold. */
const beforeEnding: readonly (readonly [ending: RegExp, vowels: number])[] = [
  [/(?:ical|icals|ically)$/, 2],
  [/(?:ity|ities|ify|ified|ifies)$/, 2],
  [/(?:ology|ologies|ography|ometer|ocracy)s?$/, 2],
  [/(?:ion|ions|ional)$/, 1],
  [/(?:ian|ians|ious|eous|ial|ual|ia|io|ium)s?$/, 2],
  [/(?:ic|ics)$/, 1],
];
/** Beginnings that are seldom stressed in words of two syllables. */
const weakBeginning = /^(?:a[^aeiouy]|be|de|re(?!a)|ex|un|con|com|dis|mis|per|pro|sur|trans)(?=.*[aeiouy])/;
/** Short vowels sound alike where they aren't stressed. */
const reduced: Readonly<Record<string, string>> = { AE: 'AH', AA: 'AH', EH: 'AH' };
const reducedAtStart: Readonly<Record<string, string>> = { AE: 'AH' };

/**
 * Finds the stressed vowel of a word that was sounded out, by its ending and its number of syllables, and weakens the
 * short vowels of the others.
 *
 * @param sounds of ARPABET, without stress
 * @returns the sounds with stress digits; empty where none is a vowel
 */
export function placeStress(sounds: readonly string[], word: string): Pronunciation {
  const vowels = sounds.flatMap((sound, at) => (isVowel(sound) ? [at] : []));
  if (vowels.length === 0) return '';
  const stressed = stressedVowel(sounds, vowels, word);
  return sounds
    .map((sound, at) => {
      if (!isVowel(sound)) return sound;
      const before = stressed - vowels.indexOf(at);
      if (before === 0) return `${sound}1`;
      // Every second vowel before the stress has some of it.
      if (before > 0 && before % 2 === 0) return `${sound}2`;
      if (sounds[at + 1] === 'R') return `${sound}0`;
      if (at === vowels[0]) return `${(at === 0 && reducedAtStart[sound]) || sound}0`;
      return `${reduced[sound] ?? sound}0`;
    })
    .join(' ');
}

/** @returns which of the vowels, counted from 0 */
function stressedVowel(sounds: readonly string[], vowels: readonly number[], word: string): number {
  const last = vowels.length - 1;
  if (last === 0) return 0;
  if (onLast.test(word)) return last;
  for (const [ending, held] of beforeEnding) {
    if (ending.test(word)) return Math.max(0, last - held);
  }
  if (last === 1) return weakBeginning.test(word) && isHeavy(sounds, vowels, 1) ? 1 : 0;
  if (/[aoiu]$/.test(word)) return last - 1;
  return isHeavy(sounds, vowels, last - 1) && !/(?:ate|ary|ory|ize|ise|y)s?$/.test(word)
    ? last - 1
    : last - 2;
}

/** Whether two consonants follow, or the vowel is long. */
function isHeavy(sounds: readonly string[], vowels: readonly number[], index: number): boolean {
  const at = vowels[index]!;
  const next = vowels[index + 1] ?? sounds.length;
  return next - at > 2 || /^(?:AW|AY|EY|OW|OY|IY|UW|AO|AA)$/.test(sounds[at]!);
}
