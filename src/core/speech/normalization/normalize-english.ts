import { assertText } from '../../assert-values.ts';
import { runSteps } from '../../run-steps.ts';
import { abbreviations, initialisms } from './abbreviations.ts';
import { dates } from './dates.ts';
import { electronic } from './electronic.ts';
import { formulas, labels, versions } from './labels.ts';
import { measures } from './measures.ts';
import { money } from './money.ts';
import { decades, notations, numbers, scores } from './numbers.ts';
import { postal } from './postal.ts';
import { ranges } from './ranges.ts';
import { romans } from './romans.ts';
import { TokenSpeaker } from './speak-tokens.ts';
import { symbols, unknownSymbols } from './symbols.ts';
import { telephones } from './telephones.ts';
import { tidyText } from './tidy-text.ts';
import { times } from './times.ts';
import { years } from './years.ts';

/** Classes with the most to say about a token come first. */
const speaker = new TokenSpeaker([
  notations,
  electronic,
  postal,
  dates,
  times,
  telephones,
  labels,
  decades,
  years,
  versions,
  money,
  scores,
  measures,
  romans,
  formulas,
  abbreviations,
  initialisms,
  ranges,
  numbers,
  symbols,
]);

/**
 * Spells out an English text: numbers, money, dates, times, measures, abbreviations, addresses and symbols become
 * words. The result consists of letters, apostrophes, hyphens within words, and `;:,.!?—…"()`; a line break ends a
 * paragraph. Words in capitals remain, since only a dictionary can distinguish initials from words.
 *
 * @example
 * ```ts
 * normalizeEnglish('Dr. Lee paid $3.50 at 3:30 pm.');
 * // 'Doctor Lee paid three dollars and fifty cents at three thirty PM.'
 * ```
 */
export function normalizeEnglish(text: string): string {
  return runSteps(normalizeSteps(text));
}

/** Like `normalizeEnglish`, but yields between tokens. */
export function* normalizeSteps(text: string): Generator<void, string> {
  assertText('text', text);
  const said = yield* speaker.speak(tidyText(text));
  return said
    .replace(unknownSymbols, ' ')
    .replace(/(?<=[,;!?…])(?=\p{L})/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .replace(/ +(?=[,.;:!?…)\n]|$)/gu, '')
    .replace(/(?<=\n|^) +/gu, '')
    .trim();
}
