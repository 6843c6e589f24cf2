import { toCardinal, toOrdinal } from './number-words.ts';
import { globally, type Rule } from './rule.ts';

const values: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100 };
/** Up to 399, in its one right form; never empty. */
const numeral = String.raw`(?<numeral>(?=[IVXLC])C{0,3}(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3}))(?![\p{L}\d])`;

const counted =
  'Chapter|Part|Act|Scene|Volume|Book|Section|Article|Appendix|Figure|Table|Phase|Stage|Level|Type|Class|Grade|Title|War|Bowl|Apollo|Unit|Version';
const rulers =
  'Henry|Louis|George|Elizabeth|Charles|Edward|James|William|Richard|Paul|Pius|Benedict|Leo|Gregory|Napoleon|Nicholas|Peter|Catherine|Alexander|Frederick|Philip|Francis|Ferdinand|Joseph|Mary|Ivan|Innocent|Clement|Ramesses|Ptolemy';

/** Roman numerals, only where the word before them makes them one: `I` and `C` are words and letters elsewhere. */
export const romanNumeralRules: readonly Rule[] = [
  {
    pattern: globally(String.raw`(?<!\p{L})(?<word>${counted}) ${numeral}`),
    speak: ({ word, numeral: letters = '' }) => `${word} ${toCardinal(String(valueOf(letters)))}`,
  },
  {
    pattern: globally(String.raw`(?<!\p{L})(?<word>${rulers}) (?!I (?!of ))${numeral}`),
    speak: ({ word, numeral: letters = '' }) => `${word} the ${toOrdinal(String(valueOf(letters)))}`,
  },
];

function valueOf(letters: string): number {
  return Array.from(letters, (letter) => values[letter]!).reduce(
    (sum, value, index, all) => sum + (value < (all[index + 1] ?? 0) ? -value : value),
    0,
  );
}
