import { applyRules, type Rule } from './rule.ts';

/** Before characters are brought to their plain forms, which would glue some of them to their neighbours. */
const beforehand: readonly Rule[] = [
  [/(?<=\d)(?=[¼½¾⅐-⅞])/gu, ' '],
  [/(?=[²³]|(?<=\d)[⁰¹⁴-⁹⁻])(?<![⁰¹²³⁴-⁹⁻])/gu, '^'],
  [/(?<=\d ?)º(?= ?[CF](?!\p{L}))/gu, '°'],
  [/[©®™]/g, ' '],
  [/№ ?/g, '#'],
  [/(?<![<>=!-])=>/g, '→'],
  [/(?<![<>=!-])>=(?![=>])/g, '≥'],
  [/(?<![<>=!-])<=(?![=>])/g, '≤'],
  [/(?<=[\p{L}\d)\]] ?)!==?(?= ?[\p{L}\d("'-])/gu, '≠'],
  // Tags of HTML.
  [
    /<\/?(?:a|b|br|code|div|em|h[1-6]|i|li|ol|p|pre|small|span|strong|su[bp]|u|ul)(?: [\w-]{1,40}=[^<>\n]{0,500})? ?\/?>/giu,
    ' ',
  ],
];

const punctuation: readonly Rule[] = [
  [/[‘’‛´]/g, "'"],
  [/[“”„‟«»「」『』]/g, '"'],
  [/[[{⟨【]/g, '('],
  [/[\]}⟩】]/g, ')'],
  [/[−‐‑]/g, '-'],
  [/⁄/g, '/'],
  [/。/g, '. '],
  [/、/g, ', '],
  [/[¡¿・]/g, ' '],
  [/\.{2,}/g, '…'],
  // An en dash between numbers is a range, which is read out.
  [/(?<![\d\s])–(?!\d)|–(?![\d\s$€£])|-{2,}|―/gu, '—'],
  [/(?<=(?<!\d|\d ?[%°]|\d ?[AaPp]\.?[Mm]\.?)\s)[-–](?=\s)|(?<=\s)[-–](?=\s(?![$€£¥]?\d))/gu, '—'],
];

const spaces: readonly Rule[] = [
  [/\r\n?|[\u2028\u2029]/g, '\n'],
  [/[^\S\n]+/gu, ' '],
  [/ ?\n ?/g, '\n'],
  [/\n{3,}/g, '\n\n'],
  // A line goes on in the next one, unless that is empty or an item of a list.
  [/(?<!\n)\n(?!\n|[-*•–—] |\d{1,3}[.)] )/gu, ' '],
  [/\n+[-*•–—] /gu, '\n'],
  [/(?<=[^\s.!?…:;,—])\n+/gu, '.\n'],
  [/\n+/g, '\n'],
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
