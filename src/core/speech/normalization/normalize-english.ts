import { assertText } from '../../assert-values.ts';
import { runSteps } from '../../run-steps.ts';
import { abbreviationRules } from './abbreviations.ts';
import { addressRules, postalRules } from './addresses.ts';
import { dateRules, timestampRules } from './dates.ts';
import { labelRules } from './labels.ts';
import { moneyRangeRules, moneyRules } from './money.ts';
import {
  decadeRules,
  notationRules,
  numberRules,
  phoneRules,
  rangeRules,
  scaleRules,
  signRules,
} from './numbers.ts';
import { romanNumeralRules } from './roman-numerals.ts';
import { applyRules, type Rule } from './rule.ts';
import { symbolRules, unknownSymbols } from './symbols.ts';
import { tidyText } from './tidy-text.ts';
import { timeRules } from './times.ts';
import { unitRules } from './units.ts';

/** Rules for specific notations of digits precede general ones. */
const rules: readonly Rule[] = [
  ...addressRules,
  ...postalRules,
  ...abbreviationRules,
  ...timestampRules,
  ...dateRules,
  ...timeRules,
  ...phoneRules,
  ...notationRules,
  ...labelRules,
  ...signRules,
  ...moneyRangeRules,
  ...rangeRules,
  ...moneyRules,
  ...decadeRules,
  ...unitRules,
  ...scaleRules,
  ...romanNumeralRules,
  ...symbolRules,
  ...numberRules,
];

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

/** Like `normalizeEnglish`, but yields after each rule. */
export function* normalizeSteps(text: string): Generator<void, string> {
  assertText('text', text);
  let worded = tidyText(text);
  for (const rule of rules) {
    yield;
    worded = applyRules(worded, [rule]);
  }
  return worded
    .replace(unknownSymbols, ' ')
    .replace(/(?<=[,;!?…])(?=\p{L})/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .replace(/ +(?=[,.;:!?…)\n]|$)/gu, '')
    .replace(/(?<=\n|^) +/gu, '')
    .trim();
}
