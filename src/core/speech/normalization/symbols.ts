import { sticky, type TokenClass } from './token.ts';

/** Symbols with a spoken form; all remaining symbols are dropped. */
export const symbols: TokenClass = {
  words: ['x', 'X'],
  letters: [
    [/(?<=\d ?)x(?= ?[$€£¥]?\d)(?<=\dx|\d x(?= ))(?<!(?<!\d)0x)(?= )/uy, 'times'],
    [/(?<=\d)x(?![\p{L}\d]| ?[−+=×*^]| - )(?<![=+−(] ?\d{1,5}x)/uy, ' times'],
    [/(?<=(?<!(?<!\d)0)\d)x(?=\d)/uy, ' by '],
  ],
  marks: {
    '#': [
      [/(?<=^|\n)#{1,6} /uy, ''],
      [/(?<=(?<!\p{L})[CF])#/uy, ' sharp'],
      [/#(?=\p{L}|\d{1,6}\p{L}{3})/uy, 'hashtag '],
      [/#(?=\d)/uy, 'number '],
    ],
    '& ': [[/ ?& ?/uy, ' and ']],
    '@': [[/@ ?/uy, ' at ']],
    '^': [
      [/\^2(?!\d)/uy, ' squared'],
      [/\^3(?!\d)/uy, ' cubed'],
      [/\^-(?=\d)/uy, ' to the power of minus '],
      [/(?<=[\p{L}\d)])\^(?=[\p{L}\d({])/uy, ' to the power of '],
    ],
    '<': [
      [/(?<=(?<!\p{L})(?:I|[Ww]e|[Tt]hey) )<3(?= \p{L})/uy, 'love'],
      [/(?<=^|\n|\p{L}{2}[.,!?]? |<3 )<3(?= <3|[.!?,;)\n]|$)/uy, 'heart'],
      [/(?<![\p{L}\d)"'/=<-] ?)<(?= ?[$€£]?\d)|(?<=\p{Ll}{2} )<(?=[$€£]?\d)/uy, 'less than '],
      [/(?<=[\p{L}\d] ?)<(?= ?[\p{L}\d-])/uy, ' is less than '],
    ],
    '>': [
      [/(?<![\p{L}\d)"'/=>-] ?)>(?= ?[$€£]?\d)|(?<=\p{Ll}{2} )>(?=[$€£]?\d)/uy, 'more than '],
      [/(?<=[\p{L}\d] ?)>(?= ?[\p{L}\d-])/uy, ' is greater than '],
    ],
    ' ': [
      // A path through menus.
      [/(?<=\p{Ll}{2}) > (?=\p{Lu}\p{Ll})/uy, ', '],
      [/(?<=\d) \/ (?=\d)/uy, ' divided by '],
      [/(?<=[\p{L}\d)]) \/ (?=[\p{L}\d(])/uy, ' slash '],
      [/(?<=[\d)]|(?<!\p{L})\p{L}) [×*·⋅] (?=[\d($€£]|\p{L}(?!\p{L}))/uy, ' times '],
    ],
    '$€£': [],
    '~': [[/~(?= ?[\d$€£])/uy, 'about ']],
    '+': [
      [/(?<![\p{L}\d)\]]|\p{L}{2} |\d to |to )\+(?=[$€£¥]?\d)/uy, 'plus '],
      [/(?<=[\p{L}\d)] ?)\+(?= ?[\p{L}\d(])/uy, ' plus '],
      [/(?<=[\p{L}\d%]\+{0,2})\+/uy, ' plus'],
    ],
    '×*·⋅': [[/(?<=[\d)]|(?<!\p{L})\p{L}|\p{L}\)) ?[×*·⋅] ?(?=[\d($€£]|\p{L}(?!\p{L}))/uy, ' times ']],
    '×': [[/×/uy, ' times ']],
    '÷': [[/÷/uy, ' divided by ']],
    '±': [[/± ?/uy, ' plus or minus ']],
    '=＝': [[/[=＝]{1,100}/uy, ' equals ']],
    '≠': [[/≠/uy, ' is not ']],
    '≈': [
      [/(?<![\p{L}\d)] ?)≈ ?/uy, 'about '],
      [/≈/uy, ' is about '],
    ],
    '≤': [
      [/(?<![\p{L}\d)] ?|\p{L}{2} )≤/uy, 'at most '],
      [/≤/uy, ' is at most '],
    ],
    '≥': [
      [/(?<![\p{L}\d)] ?|\p{L}{2} )≥/uy, 'at least '],
      [/≥/uy, ' is at least '],
    ],
    '→-': [[/→|(?<!-)->/uy, ' to ']],
    '√': [[/√/uy, ' square root of ']],
    '∞': [[/∞/uy, ' infinity ']],
    π: [[/π/uy, ' pi ']],
    '°': [
      [/°(?= ?(?<direction>[NSEW])(?![\p{L}\d]))/uy, ' degrees '],
      [/°/uy, ' degrees '],
    ],
    '%': [[/%/uy, ' percent ']],
    $: [[/\$/uy, ' dollars ']],
    '€': [[/€/uy, ' euros ']],
    '£': [[/£/uy, ' pounds ']],
    '§': [[/§ ?/uy, ' section ']],
    '/': [
      [/(?<=(?<!\p{L})\p{Ll})\/(?=\d{1,3}(?![\d/]))/uy, ' over '],
      [/(?<=\d)\/(?=\d)/uy, ' over '],
      [/(?<![/<])\/(?=\p{L})/uy, ' slash '],
      [/(?<=\p{L})\/(?=\d)/uy, ' slash '],
    ],
    '\\': [
      [sticky`(?<=(?<!\p{L})\p{Lu}):(?=\\)`, ' colon'],
      [/\\/uy, ' backslash '],
    ],
    ':': [
      [/(?<=(?<!\p{L})\p{Lu}):(?=\\)/uy, ' colon'],
      [/(?<=\d):(?=\d)/uy, ' to '],
    ],
    '.': [
      [/(?<![\p{L}\d.])\.(?=NET(?!\p{L}))/uy, 'dot '],
      [/(?<=\p{L})\.(?=\d)/uy, ' point '],
    ],
    '|': [[/\|/uy, ', ']],
  },
};

/** Everything except letters, digits and the punctuation that affects intonation. */
export const unknownSymbols = /[^\p{L}\p{M}\p{N}\s;:,.!?—…"()'-]/gu;
