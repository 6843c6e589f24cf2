import { tableOf } from '../table-of.ts';
import { currencies } from './currency-table.ts';
import { sticky, type TokenClass } from './token.ts';

/** Signs with the same words everywhere. */
const names = tableOf(
  '×: times , ÷: divided by , ≠: is not , √: square root of , ∞: infinity , π: pi , %: percent , ≡: is equivalent to , ∝: is proportional to , ' +
    '∈: is in , ∉: is not in , ⊂: is a subset of , ⊆: is a subset of , ∪: union , ∩: intersection , ∅: the empty set , ∧: and , ∨: or , ¬: not , ' +
    '∀: for all , ∃: there is , ∑: sum of , ∏: product of , ∫: integral of , ∂: partial , ∇: nabla , ∴: therefore ',
);
const loneCurrencies = [...currencies].filter(([sign]) => /^\p{Sc}$/u.test(sign));
const named = [
  ...Object.entries(names),
  ...loneCurrencies.map(([sign, { many }]) => [sign, ` ${many} `] as const),
];

/** Symbols with a spoken form; all remaining symbols are dropped. */
export const symbols: TokenClass = {
  words: ['x', 'X'],
  letters: [
    /(?<=\d ?)x(?= ?[$€£¥]?\d)(?<=\dx|\d x(?= ))(?<!(?<!\d)0x)(?= )/uy,
    'times',
    /(?<=\d)x(?![\p{L}\d]| ?[−+=×*^]| - )(?<!(?:[=+−(]|(?:[Ss]ubtract|[Aa]dd|[Tt]erm|[Ii]solate) ) ?\d{1,5}x)/uy,
    ' times',
    /(?<=(?<!(?<!\d)0)\d)x(?=\d)/uy,
    ' by ',
  ],
  marks: {
    '#': [
      /(?<=^|\n)#{1,6} /uy,
      '',
      /(?<=(?<!\p{L})[CF])#/uy,
      ' sharp',
      /#(?=\p{L}|\d{1,6}\p{L}{3})/uy,
      'hashtag ',
      /#(?=\d)/uy,
      'number ',
    ],
    '& ': [/ ?& ?/uy, ' and '],
    '@': [/@ ?/uy, ' at '],
    '^': [
      /\^2(?!\d)/uy,
      ' squared',
      /\^3(?!\d)/uy,
      ' cubed',
      /\^-(?=\d)/uy,
      ' to the power of minus ',
      /(?<=[\p{L}\d)])\^(?=[\p{L}\d({])/uy,
      ' to the power of ',
    ],
    '<': [
      /(?<=(?<!\p{L})(?:I|[Ww]e|[Tt]hey) )<3(?= \p{L})/uy,
      'love',
      /(?<=^|\n|\p{L}{2}[.,!?]? |<3 )<3(?= <3|[.!?,;)\n]|$)/uy,
      'heart',
      /(?<![\p{L}\d)"'/=<-] ?)<(?= ?[$€£]?\d)|(?<=\p{Ll}{2} )<(?=[$€£]?\d)/uy,
      'less than ',
      /(?<=[\p{L}\d] ?)<(?= ?[\p{L}\d-])/uy,
      ' is less than ',
    ],
    '>': [
      /(?<![\p{L}\d)"'/=>-] ?)>(?= ?[$€£]?\d)|(?<=\p{Ll}{2} )>(?=[$€£]?\d)/uy,
      'more than ',
      /(?<=[\p{L}\d] ?)>(?= ?[\p{L}\d-])/uy,
      ' is greater than ',
    ],
    ' ': [
      // A path through menus.
      /(?<=\p{Ll}{2}) > (?=\p{Lu}\p{Ll})/uy,
      ', ',
      /(?<=\d) \/ (?=\d)/uy,
      ' divided by ',
      /(?<=[\p{L}\d)]) \/ (?=[\p{L}\d(])/uy,
      ' slash ',
      /(?<=[\d)]|(?<!\p{L})\p{L}) [×*·⋅∗∙] (?=[\d($€£]|\p{L}(?!\p{L}))|(?<=\p{L}) [×*·⋅∗∙] (?=[$€£]?\d)/uy,
      ' times ',
    ],
    '~': [/~(?= ?[\d$€£])/uy, 'about '],
    '+': [
      /(?<![\p{L}\d)\]]|\p{L}{2} |\d to |to )\+(?=[$€£¥]?\d)/uy,
      'plus ',
      /(?<=[\p{L}\d)] ?)\+(?= ?[\p{L}\d(])/uy,
      ' plus ',
      /(?<=[\p{L}\d%]\+{0,2})\+/uy,
      ' plus',
    ],
    '×*·⋅∗∙': [/(?<=[\d)]|(?<!\p{L})\p{L}|\p{L}\)) ?[×*·⋅∗∙] ?(?=[\d($€£]|\p{L}(?!\p{L}))/uy, ' times '],
    '±': [/± ?/uy, ' plus or minus '],
    '=＝': [/[=＝]{1,100}/uy, ' equals '],
    '≈': [/(?<![\p{L}\d)] ?)≈ ?/uy, 'about ', /≈/uy, ' is about '],
    '≤≦': [/(?<![\p{L}\d)] ?|\p{L}{2} )[≤≦]/uy, 'at most ', /[≤≦]/uy, ' is at most '],
    '≥≧': [/(?<![\p{L}\d)] ?|\p{L}{2} )[≥≧]/uy, 'at least ', /[≥≧]/uy, ' is at least '],
    '→-': [/→|(?<!-)->/uy, ' to '],
    '°': [/°(?= ?(?<direction>[NSEW])(?![\p{L}\d]))/uy, ' degrees ', /°/uy, ' degrees '],
    '§': [/§ ?/uy, ' section '],
    '/': [
      /(?<=(?<!\p{L})\p{Ll})\/(?=\d{1,3}(?![\d/]))/uy,
      /(?<=(?<![\p{L}\d./])\d)\/(?=(?:\d|\p{Ll}(?![\p{L}\d/])))|(?<=\d)\/(?=\d)/uy,
      ' over ',
      /(?<![/<])\/(?=\p{L})/uy,
      ' slash ',
      /(?<=\p{L})\/(?=\d)/uy,
      ' slash ',
    ],
    '\\': [sticky`(?<=(?<!\p{L})\p{Lu}):(?=\\)`, ' colon', /\\/uy, ' backslash '],
    ':': [/(?<=(?<!\p{L})\p{Lu}):(?=\\)/uy, ' colon', /(?<=\d):(?=\d)/uy, ' to '],
    '.': [/(?<![\p{L}\d.])\.(?=NET(?!\p{L}))/uy, 'dot ', /(?<=\p{L})\.(?=\d)/uy, ' point '],
    '|': [/\|/uy, ', '],
    ...Object.fromEntries(named.map(([sign, name]) => [sign, [sticky`[${sign}](?<!\$(?=\())`, name]])),
  },
};

/** Everything except letters, digits and the punctuation that affects intonation. */
export const unknownSymbols = /[^\p{L}\p{M}\p{N}\s;:,.!?—…"()'-]/gu;
