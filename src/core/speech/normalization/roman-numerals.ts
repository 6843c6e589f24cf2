import { toCardinal, toOrdinal } from './number-words.ts';
import { globally, spokenAlike, type Rule } from './rule.ts';

const values: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100 };
/** Canonical numerals up to 399; never empty. */
const letters = String.raw`(?=[IVXLC])C{0,3}(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})`;
const numeral = String.raw`(?<numeral>${letters})(?![\p{L}\d])`;

const counted =
  'Chapter|Part|Episode|Round|Act|Scene|Volume|Book|Section|Article|Appendix|Figure|Table|Phase|Stage|Level|Type|Class|Grade|Title|War|Bowl|Apollo|Unit|Version';
const rulers =
  'Henry|Louis|George|Elizabeth|Charles|Edward|James|William|Richard|Paul|Pius|Benedict|Leo|Gregory|Napoleon|Nicholas|Peter|Catherine|Alexander|Frederick|Philip|Francis|Ferdinand|Joseph|Mary|Ivan|Innocent|Clement|Ramesses|Ptolemy';

/** Roman numerals, only after a word that expects a number: elsewhere `I` and `C` are words or letters. */
export const romanNumeralRules: readonly Rule[] = [
  [
    globally`(?<!\p{L})(?<word>${counted}) (?![CL](?!\p{L}))${numeral}`,
    ({ word, numeral: sign = '' }) => `${word} ${toCardinal(valueOf(sign))}`,
  ],
  [
    globally`(?<![\p{L}\d])(?<sign>${letters})(?:th|st|nd|rd|(?= [Cc]entur(?:y|ies)))(?!\p{L})`,
    ({ sign = '' }) => toOrdinal(valueOf(sign)),
  ],
  [/(?<!\p{L})WW(?<sign>I{1,2})(?!\p{L})/gu, ({ sign = '' }) => `World War ${toCardinal(valueOf(sign))}`],
  [
    globally`(?<!\p{L})(?<word>${rulers}) (?!I (?!of |ruled |reigned ))${numeral}`,
    ({ word, numeral: sign = '' }) => `${word} the ${toOrdinal(valueOf(sign))}`,
  ],
  ...spokenAlike(
    (_, sign) => toCardinal(valueOf(sign.toUpperCase())),
    /(?<=(?<!\p{L})(?:Act|Scene|Chapter|Part|Book) )(?=[ivx]{2})x{0,3}(?:ix|iv|v?i{0,3})(?!\p{L})/gu,
    // The number of a heading.
    /(?<=^|\n)(?=[IVX]{2})X{0,3}(?:IX|IV|V?I{0,3})(?=\. \p{Lu})/gu,
    // Unambiguous numerals after a name: `Final Fantasy VII`.
    /(?<=\p{Lu}\p{Ll}+ )(?:X{0,2}(?:VI{2,3}|I{2,3}|I[VX](?=[.,;:!?)]|$))|X{1,2}I[VX]|XV)(?![\p{L}\d])/gu,
  ),
];

function valueOf(sign: string): string {
  const value = Array.from(sign, (letter) => values[letter]!).reduce(
    (sum, one, index, all) => sum + (one < (all[index + 1] ?? 0) ? -one : one),
    0,
  );
  return String(value);
}
