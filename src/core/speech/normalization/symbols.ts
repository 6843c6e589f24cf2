import type { Rule } from './rule.ts';

/** Symbols that are said as words; those that are said nowhere are dropped. */
export const symbolRules: readonly Rule[] = [
  { pattern: /(?<=^|\n)#{1,6} /gu, speak: '' },
  { pattern: /(?<=(?<!\p{L})[CF])#/gu, speak: ' sharp' },
  { pattern: /#(?=\d)/g, speak: 'number ' },
  { pattern: /#(?=\p{L})/gu, speak: 'hashtag ' },
  { pattern: /\s*&\s*/g, speak: ' and ' },
  { pattern: /\s*@\s*/g, speak: ' at ' },
  { pattern: /(?<=\d)x(?![\p{L}\d])/gu, speak: ' times' },
  { pattern: /(?<=(?<!(?<!\d)0)(?<=\d))x(?=\d)/g, speak: ' by ' },
  { pattern: /\^2(?!\d)/g, speak: ' squared' },
  { pattern: /\^3(?!\d)/g, speak: ' cubed' },
  { pattern: /\^(?=-?\d)/g, speak: ' to the power of ' },
  { pattern: /(?<=[\p{L}\d] ?)\+(?= ?[\p{L}\d])/gu, speak: ' plus ' },
  { pattern: /(?<=[\p{L}\d]\+{0,2})\+/gu, speak: ' plus' },
  { pattern: /(?<=[\d)]) ?[×*] ?(?=[\d(])|(?<=\d) x (?=\d)/gu, speak: ' times ' },
  { pattern: /(?<=\d) - (?=\d)/g, speak: ' minus ' },
  { pattern: /÷/g, speak: ' divided by ' },
  { pattern: /±/g, speak: ' plus or minus ' },
  { pattern: /[=＝]+/g, speak: ' equals ' },
  { pattern: /≠/g, speak: ' is not ' },
  { pattern: /≈/g, speak: ' is about ' },
  { pattern: /(?<![\p{L}\d)] ?)≤/gu, speak: 'at most ' },
  { pattern: /(?<![\p{L}\d)] ?)≥/gu, speak: 'at least ' },
  { pattern: /≤/g, speak: ' is at most ' },
  { pattern: /≥/g, speak: ' is at least ' },
  // A way through menus.
  { pattern: /(?<=\p{Ll}{2}) > (?=\p{Lu}\p{Ll})/gu, speak: ', ' },
  { pattern: /(?<=[\p{L}\d] ?)<(?= ?[\p{L}\d-])/gu, speak: ' is less than ' },
  { pattern: /(?<=[\p{L}\d] ?)>(?= ?[\p{L}\d-])/gu, speak: ' is greater than ' },
  { pattern: /→|(?<!-)->/g, speak: ' to ' },
  { pattern: /√/g, speak: ' square root of ' },
  { pattern: /∞/g, speak: ' infinity ' },
  { pattern: /π/g, speak: ' pi ' },
  { pattern: /°/g, speak: ' degrees ' },
  { pattern: /%/g, speak: ' percent ' },
  { pattern: /\$/g, speak: ' dollars ' },
  { pattern: /€/g, speak: ' euros ' },
  { pattern: /£/g, speak: ' pounds ' },
  { pattern: /§/g, speak: ' section ' },
  { pattern: /(?<![/<])\/(?=\p{L})/gu, speak: ' slash ' },
  { pattern: /\\/g, speak: ' backslash ' },
  { pattern: /\|/g, speak: ', ' },
];

/** Characters beside letters, digits and the marks that shape a voice. */
export const unknownSymbols = /[^\p{L}\p{M}\p{N}\s;:,.!?—…"()'-]/gu;
