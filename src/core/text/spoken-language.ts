import { orElse } from './or-else.ts';

/**
 * The language of a client's tag: `en-US`, `zh_TW`, `EN` and `eng` → `en`, `zh`, `en`, `en`. Names such as `german`
 * stay, and `auto` becomes `undefined`.
 * @see https://www.rfc-editor.org/info/bcp47
 */
export function spokenLanguage(tag: string | undefined): string | undefined {
  const asked = tag?.trim().toLowerCase().replaceAll('_', '-');
  if (asked === undefined || asked === '' || asked === 'auto' || asked === 'und') return undefined;
  return orElse(() => new Intl.Locale(asked).language, asked);
}

const maxListed = 12;
const usual = ['en', 'es', 'fr', 'de', 'it', 'pt', 'ru', 'zh', 'ja', 'ko', 'ar', 'hi'];

/** Lists the available languages: all of a few, the most common of many. */
export function listLanguages(known: readonly string[]): string {
  if (known.length === 1) return known[0]!;
  if (known.length <= maxListed) return `one of ${known.join(', ')}`;
  const listed = usual.filter((language) => known.includes(language));
  return `${listed.join(', ')}, or another of the model's ${known.length} languages (ISO 639-1)`;
}
