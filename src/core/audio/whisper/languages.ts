import { assertText } from '../../assert-values.ts';
/** Every language of Whisper's vocabularies, by its code in them. */
const names = {
  af: 'afrikaans',
  am: 'amharic',
  ar: 'arabic',
  as: 'assamese',
  az: 'azerbaijani',
  ba: 'bashkir',
  be: 'belarusian',
  bg: 'bulgarian',
  bn: 'bengali',
  bo: 'tibetan',
  br: 'breton',
  bs: 'bosnian',
  ca: 'catalan',
  cs: 'czech',
  cy: 'welsh',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  et: 'estonian',
  eu: 'basque',
  fa: 'persian',
  fi: 'finnish',
  fo: 'faroese',
  fr: 'french',
  gl: 'galician',
  gu: 'gujarati',
  ha: 'hausa',
  haw: 'hawaiian',
  he: 'hebrew',
  hi: 'hindi',
  hr: 'croatian',
  ht: 'haitian creole',
  hu: 'hungarian',
  hy: 'armenian',
  id: 'indonesian',
  is: 'icelandic',
  it: 'italian',
  ja: 'japanese',
  jw: 'javanese',
  ka: 'georgian',
  kk: 'kazakh',
  km: 'khmer',
  kn: 'kannada',
  ko: 'korean',
  la: 'latin',
  lb: 'luxembourgish',
  ln: 'lingala',
  lo: 'lao',
  lt: 'lithuanian',
  lv: 'latvian',
  mg: 'malagasy',
  mi: 'maori',
  mk: 'macedonian',
  ml: 'malayalam',
  mn: 'mongolian',
  mr: 'marathi',
  ms: 'malay',
  mt: 'maltese',
  my: 'burmese',
  ne: 'nepali',
  nl: 'dutch',
  nn: 'nynorsk',
  no: 'norwegian',
  oc: 'occitan',
  pa: 'punjabi',
  pl: 'polish',
  ps: 'pashto',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sa: 'sanskrit',
  sd: 'sindhi',
  si: 'sinhala',
  sk: 'slovak',
  sl: 'slovenian',
  sn: 'shona',
  so: 'somali',
  sq: 'albanian',
  sr: 'serbian',
  su: 'sundanese',
  sv: 'swedish',
  sw: 'swahili',
  ta: 'tamil',
  te: 'telugu',
  tg: 'tajik',
  th: 'thai',
  tk: 'turkmen',
  tl: 'tagalog',
  tr: 'turkish',
  tt: 'tatar',
  uk: 'ukrainian',
  ur: 'urdu',
  uz: 'uzbek',
  vi: 'vietnamese',
  yi: 'yiddish',
  yo: 'yoruba',
  yue: 'cantonese',
  zh: 'chinese',
} as const;

/** Codes that differ between ISO 639-1 and Whisper's vocabularies. */
const vocabularyCodes: Readonly<Record<string, string>> = {
  jv: 'jw',
  nb: 'no',
  iw: 'he',
  in: 'id',
  ji: 'yi',
};

/** The reverse, for codes that aren't ISO's. */
const isoCodes: Readonly<Record<string, string>> = { jw: 'jv' };

/** Every code with a token `<|code|>` in Whisper's vocabularies. */
export const vocabularyLanguages: readonly string[] = Object.keys(names);

export function toVocabularyLanguage(language: string): string | undefined {
  const asked = language.toLowerCase();
  const code = vocabularyCodes[asked] ?? asked;
  if (Object.hasOwn(names, code)) return code;
  return vocabularyLanguages.find((known) => names[known as keyof typeof names] === asked);
}

/** The ISO 639 code of a Whisper language: two letters, or three for `haw` and `yue`. */
export function toIsoLanguage(code: string): string {
  return isoCodes[code] ?? code;
}

/**
 * The English name of a language, in lower case as Whisper writes it.
 *
 * @param language ISO 639-1 code
 * @returns `undefined` for a language that Whisper doesn't support
 *
 * @example
 * ```ts
 * languageName('de'); // 'german'
 * ```
 */
export function languageName(language: string): string | undefined {
  assertText('language', language);
  const code = toVocabularyLanguage(language);
  return code === undefined ? undefined : names[code as keyof typeof names];
}

const unspaced = new Set(['zh', 'ja', 'th', 'lo', 'my', 'km', 'bo', 'yue']);

/** Whether a language (ISO 639-1) is written with spaces between words. */
export function hasSpaces(language: string | undefined): boolean {
  return language === undefined || !unspaced.has(language);
}
