import { toCardinal, toOrdinal } from './number-words.ts';
import { sticky, type TokenClass } from './token.ts';

const values: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100 };
/** Canonical numerals up to 399; never empty. */
const letters = String.raw`(?=[IVXLC])C{0,3}(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})`;
const end = String.raw`(?![\p{L}\d])`;

const counted =
  'Chapter|Part|Episode|Round|Act|Scene|Volume|Vol\\.|vol\\.|Book|Section|Article|Appendix|Figure|Fig\\.|Table|Phase|Stage|Level|Type|Class|Grade|Title|War|Bowl|Apollo|Unit|Version';
const rulers =
  'Henry|Louis|George|Elizabeth|Charles|Edward|James|John|William|Richard|Paul|Pius|Benedict|Leo|Gregory|Napoleon|Nicholas|Peter|Catherine|Alexander|Frederick|Philip|Francis|Ferdinand|Joseph|Mary|Ivan|Innocent|Clement|Ramesses|Ptolemy|(?:Pope|King|Queen|Emperor|Tsar|Prince) \\p{Lu}\\p{Ll}{1,20}';
const cardinal = (_: unknown, sign: string): string => toCardinal(valueOf(sign));

/** Roman numerals, only after a word that expects a number: elsewhere `I` and `C` are words or letters. */
export const romans: TokenClass = {
  words: ['WWI', 'WWII'],
  letters: [
    sticky`(?<![\p{L}\d])(?<sign>${letters})(?:th|st|nd|rd|(?= [Cc]entur(?:y|ies)))(?!\p{L})`,
    ({ sign = '' }) => toOrdinal(valueOf(sign)),

    sticky`(?<!\p{L})WW(?<sign>I{1,2})(?!\p{L})`,
    ({ sign = '' }) => `World War ${toCardinal(valueOf(sign))}`,

    sticky`(?<=(?<!\p{L})(?:${rulers}) )(?!I (?!of |ruled |reigned |was ))${letters}${end}`,
    (_, sign) => `the ${toOrdinal(valueOf(sign))}`,
    sticky`(?<=(?<!\p{L})(?:${counted}|${counted.toUpperCase()}) )(?![CL](?!\p{L}))${letters}${end}`,
    // The number of a heading
    sticky`(?<=^|\n)(?=[IVX]{2})X{0,3}(?:IX|IV|V?I{0,3})(?=\. \p{Lu})`,
    // Numerals that are no word after a name: `Rocky IV`, `Final Fantasy VII`
    sticky`(?<=(?<!\p{L})(?!(?:The|An?|His|Her|My|Your|This|Our|Get|Start|Via) )\p{Lu}\p{Ll}{1,30} )(?:X{0,2}(?:VI{1,3}|I{2,3}|I[VX])|XV)${end}`,
    cardinal,

    sticky`(?<=(?<!\p{L})(?:Act|Scene|Chapter|Part|Book) )(?=[ivx]{2})x{0,3}(?:ix|iv|v?i{0,3})(?!\p{L})`,
    (_, sign) => toCardinal(valueOf(sign.toUpperCase())),
  ],
};

function valueOf(sign: string): string {
  const value = Array.from(sign, (letter) => values[letter]!).reduce(
    (sum, one, index, all) => sum + (one < (all[index + 1] ?? 0) ? -one : one),
    0,
  );
  return String(value);
}
