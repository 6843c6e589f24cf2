export type Groups = Readonly<Record<string, string | undefined>>;

/** A notation and its spoken words; `undefined` leaves a match unchanged. */
export type Rule = readonly [
  /** Must be global; groups must be named. */
  pattern: RegExp,
  speak: string | ((groups: Groups, match: string) => string | undefined),
];

/** Rules for several notations with the same spoken form. */
export function spokenAlike(speak: Rule[1], ...patterns: readonly RegExp[]): readonly Rule[] {
  return patterns.map((pattern) => [pattern, speak]);
}

/** The source of a regular expression for digits with optional thousands separators. */
export const wholeNumber = String.raw`(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)`;

/** {@link wholeNumber} with optional decimals. */
export const decimalNumber = String.raw`${wholeNumber}(?:\.\d+)?`;

/** Applies rules in sequence, each to the result of the previous rule. */
export function applyRules(text: string, rules: readonly Rule[]): string {
  return rules.reduce(applyRule, text);
}

/** Composes a regular expression with the global and Unicode flags from parts. */
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
