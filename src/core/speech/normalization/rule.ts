/** The named groups of a match. */
export type Groups = Readonly<Record<string, string | undefined>>;

/** A notation, and the words for it; they are `undefined` for a match that is left as it is. */
export type Rule = readonly [
  /** Global, with named groups or none. */
  pattern: RegExp,
  speak: string | ((groups: Groups, match: string) => string | undefined),
];

/** Rules for several notations that are spoken alike. */
export function spokenAlike(speak: Rule[1], ...patterns: readonly RegExp[]): readonly Rule[] {
  return patterns.map((pattern) => [pattern, speak]);
}

/** Digits with or without commas between thousands: the source of a regular expression. */
export const wholeNumber = String.raw`(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)`;

/** {@link wholeNumber} with or without decimals. */
export const decimalNumber = String.raw`${wholeNumber}(?:\.\d+)?`;

/** Applies rules one after the other, each to what those before it have left. */
export function applyRules(text: string, rules: readonly Rule[]): string {
  return rules.reduce(applyRule, text);
}

/** Writes a regular expression with the global and Unicode flags, put together from parts. */
export const globally = expressionWith('gu');
export const globallyInAnyCase = expressionWith('giu');

function expressionWith(flags: string) {
  return (source: TemplateStringsArray, ...parts: readonly string[]): RegExp =>
    new RegExp(String.raw(source, ...parts), flags);
}

function applyRule(text: string, [pattern, speak]: Rule): string {
  if (typeof speak === 'string') return text.replace(pattern, speak);
  return text.replace(pattern, (match: string, ...details: unknown[]) => {
    const groups = details.at(-1);
    return speak(typeof groups === 'object' ? (groups as Groups) : {}, match) ?? match;
  });
}
