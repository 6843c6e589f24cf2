type Rule = readonly [pattern: RegExp, replacement: string];

const applyRules = (text: string, rules: readonly Rule[]): string =>
  rules.reduce((worded, [pattern, replacement]) => worded.replace(pattern, replacement), text);

/** Runs before NFKC normalization, which would merge some characters with their neighbours. */
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
  // HTML tags.
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
  [/[‐‑]|−(?! )/g, '-'],
  [/[⁄∕]/g, '/'],
  [/。/g, '. '],
  [/、/g, ', '],
  [/[¡¿・]/g, ' '],
  [/\.{2,}/g, '…'],
  // An en dash between numbers is a range, which is read aloud.
  [/(?<![\d\s])–(?![\d$€£¥])|–(?![\d\s$€£¥])|-{2,}|―/gu, '—'],
  [
    /(?<=(?<!\d|\d ?[%°]|\d ?[AaPp]\.?[Mm]\.?|(?<!\p{L})\p{Ll})\s)[-–](?=\s)|(?<=\s)[-–](?=\s(?![$€£¥]?\d))/gu,
    '—',
  ],
];

const spaces: readonly Rule[] = [
  [/\r\n?|[\u2028\u2029]/g, '\n'],
  [/[^\S\n]+/gu, ' '],
  [/ ?\n ?/g, '\n'],
  [/\n{3,}/g, '\n\n'],
  // A line continues on the next line, unless that is empty or a list item.
  [/(?<!\n)\n(?!\n|[-*•–—] |\d{1,3}[.)] |\d{4}: )/gu, ' '],
  [/\n+[-*•–—] /gu, '\n'],
  [/(?<=[^\s.!?…:;,—])\n+/gu, '.\n'],
  [/\n+/g, '\n'],
];

/** Emoji with their modifiers, and invisible characters. */
const unspoken =
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\p{Cf}\p{Cs}\p{Co}\ufe0e\ufe0f\u20e3]/gu;
const controls = /[^\P{Cc}\n\r]/gu;

/**
 * Normalizes a text of any language to plain Unicode: compatibility forms are replaced, quotes, brackets and dashes are
 * unified, emoji are dropped, and every line is a paragraph.
 */
export function tidyText(text: string): string {
  const plain = applyRules(text, beforehand).replace(controls, ' ').replace(unspoken, '').normalize('NFKC');
  return applyRules(applyRules(plain, spaces), punctuation).trim();
}
