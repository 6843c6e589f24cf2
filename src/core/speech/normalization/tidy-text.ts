import { applyRules, type Rule } from './rule.ts';

/** Before characters are brought to their plain forms, which would glue some of them to their neighbours. */
const beforehand: readonly Rule[] = [
  { pattern: /(?<=\d)(?=[¼½¾⅐-⅞])/gu, speak: ' ' },
  { pattern: /(?=[²³]|(?<=\d)[⁰¹⁴-⁹⁻])(?<![⁰¹²³⁴-⁹⁻])/gu, speak: '^' },
  { pattern: /(?<=\d ?)º(?= ?[CF](?!\p{L}))/gu, speak: '°' },
  { pattern: /[©®™]/g, speak: ' ' },
  { pattern: /№ ?/g, speak: '#' },
  { pattern: /(?<![<>=!-])=>/g, speak: '→' },
  { pattern: /(?<![<>=!-])>=(?![=>])/g, speak: '≥' },
  { pattern: /(?<![<>=!-])<=(?![=>])/g, speak: '≤' },
  { pattern: /(?<=[\p{L}\d)\]] ?)!==?(?= ?[\p{L}\d("'-])/gu, speak: '≠' },
  // Tags of HTML.
  {
    pattern:
      /<\/?(?:a|b|br|code|div|em|h[1-6]|i|li|ol|p|pre|small|span|strong|su[bp]|u|ul)(?: [\w-]{1,40}=[^<>\n]{0,500})? ?\/?>/giu,
    speak: ' ',
  },
];

const punctuation: readonly Rule[] = [
  { pattern: /[‘’‛´]/g, speak: "'" },
  { pattern: /[“”„‟«»「」『』]/g, speak: '"' },
  { pattern: /[[{⟨【]/g, speak: '(' },
  { pattern: /[\]}⟩】]/g, speak: ')' },
  { pattern: /[−‐‑]/g, speak: '-' },
  { pattern: /⁄/g, speak: '/' },
  { pattern: /。/g, speak: '. ' },
  { pattern: /、/g, speak: ', ' },
  { pattern: /[¡¿・]/g, speak: ' ' },
  { pattern: /\.{2,}/g, speak: '…' },
  // An en dash between numbers is a range, which is read out.
  { pattern: /(?<![\d\s])–(?!\d)|–(?![\d\s$€£])|-{2,}|―/gu, speak: '—' },
  {
    pattern: /(?<=(?<!\d|\d ?[%°]|\d ?[AaPp]\.?[Mm]\.?)\s)[-–](?=\s)|(?<=\s)[-–](?=\s(?![$€£¥]?\d))/gu,
    speak: '—',
  },
];

const spaces: readonly Rule[] = [
  { pattern: /\r\n?|[\u2028\u2029]/g, speak: '\n' },
  { pattern: /[^\S\n]+/gu, speak: ' ' },
  { pattern: / ?\n ?/g, speak: '\n' },
  { pattern: /\n{3,}/g, speak: '\n\n' },
  // A line goes on in the next one, unless that is empty or an item of a list.
  { pattern: /(?<!\n)\n(?!\n|[-*•–—] |\d{1,3}[.)] )/gu, speak: ' ' },
  { pattern: /\n+[-*•–—] /gu, speak: '\n' },
  { pattern: /(?<=[^\s.!?…:;,—])\n+/gu, speak: '.\n' },
  { pattern: /\n+/g, speak: '\n' },
];

/** Emoji, what joins and colors them, and characters that can't be seen. */
const unspoken =
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\p{Cf}\p{Cs}\p{Co}\ufe0e\ufe0f\u20e3]/gu;
const controls = /[^\P{Cc}\n\r]/gu;

/**
 * Brings a text of any language into plain Unicode: compatibility forms are replaced, quotes, brackets and dashes are of one
 * kind each, emoji are dropped, and every line is a paragraph.
 */
export function tidyText(text: string): string {
  const plain = applyRules(text, beforehand).replace(controls, ' ').replace(unspoken, '').normalize('NFKC');
  return applyRules(applyRules(plain, spaces), punctuation).trim();
}
