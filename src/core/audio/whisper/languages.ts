import { assertText } from '../../assert-values.ts';
/** Every language that a Whisper vocabulary may have, by its code there. */
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

/** Codes that differ between ISO 639-1 and Whisper vocabularies. */
const vocabularyCodes: Readonly<Record<string, string>> = {
  jv: 'jw',
  nb: 'no',
  iw: 'he',
  in: 'id',
  ji: 'yi',
};

/** The other way round, for codes that are not ISO's. */
const isoCodes: Readonly<Record<string, string>> = { jw: 'jv' };

/** Every code that a Whisper vocabulary may have a token `<|code|>` for. */
export const vocabularyLanguages: readonly string[] = Object.keys(names);

/** A language's code in Whisper vocabularies. */
export function toVocabularyLanguage(language: string): string | undefined {
  const asked = language.toLowerCase();
  const code = vocabularyCodes[asked] ?? asked;
  if (Object.hasOwn(names, code)) return code;
  return vocabularyLanguages.find((known) => names[known as keyof typeof names] === asked);
}

/** The ISO 639 code of a language that a Whisper vocabulary has: of two letters, of three for `haw` and `yue`. */
export function toIsoLanguage(code: string): string {
  return isoCodes[code] ?? code;
}

/**
 * The English name of a language, in small letters as Whisper writes it.
 *
 * @param language ISO 639-1 code
 * @returns `undefined` for a language that Whisper doesn't know
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

/** Languages that are written without spaces between words. */
const unspaced = new Set(['zh', 'ja', 'th', 'lo', 'my', 'km', 'bo', 'yue']);

/** Whether a language (ISO 639-1) is written with spaces between words. */
export function hasSpaces(language: string | undefined): boolean {
  return language === undefined || !unspaced.has(language);
}
