const vowel = /^(?:AA|AE|AH|AO|AW|AY|EH|ER|EY|IH|IY|OW|OY|UH|UW)[012]?$/;
const voiceless = new Set(['P', 'T', 'K', 'F', 'TH']);
const sibilant = new Set(['S', 'Z', 'SH', 'ZH', 'CH', 'JH']);

/** ARPABET sounds in the notation of CMUdict, separated by spaces; vowels have a stress digit. */
export type Pronunciation = string;

export function isVowel(sound: string): boolean {
  return vowel.test(sound);
}

export function beginsWithVowel(pronunciation: Pronunciation): boolean {
  return isVowel(pronunciation.split(' ', 1)[0]!);
}

/** Plural, third person or possessive: `K AE1 T` → `K AE1 T S`. */
export function withS(base: Pronunciation): Pronunciation {
  const last = lastSound(base);
  if (sibilant.has(last)) return `${base} IH0 Z`;
  return voiceless.has(last) ? `${base} S` : `${base} Z`;
}

/** Past: `W AO1 K` → `W AO1 K T`. */
export function withEd(base: Pronunciation): Pronunciation {
  const last = lastSound(base);
  if (last === 'T' || last === 'D') return `${base} IH0 D`;
  return voiceless.has(last) || sibilantVoiceless.has(last) ? `${base} T` : `${base} D`;
}

const sibilantVoiceless = new Set(['S', 'SH', 'CH']);

/** The second half of a compound and the base after a prefix have less stress: `B AO1 L` → `B AO2 L`. */
export function withLessStress(pronunciation: Pronunciation): Pronunciation {
  return pronunciation.replaceAll('1', '2');
}

/** Weak forms of words such as `of` and `to` within a sentence. */
export function withoutStress(pronunciation: Pronunciation): Pronunciation {
  return pronunciation.replace(/[12]/g, '');
}

/** Without stress digits: `K AE1 T` → `K`, `AE`, `T`. */
export function namesOfSounds(pronunciation: Pronunciation): string[] {
  return pronunciation.replace(/\d/g, '').split(' ');
}

function lastSound(pronunciation: Pronunciation): string {
  return pronunciation.slice(pronunciation.lastIndexOf(' ') + 1);
}
