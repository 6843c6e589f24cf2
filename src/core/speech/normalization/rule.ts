/** The named groups of a match. */
export type Groups = Readonly<Record<string, string | undefined>>;

/** Spoken form of one notation. */
export interface Rule {
  /** Global, with named groups or none. */
  readonly pattern: RegExp;
  /** The words for a match, or `undefined` where it is left as it is. */
  readonly speak: string | ((groups: Groups) => string | undefined);
}

/** Digits with or without commas between thousands: the source of a regular expression. */
export const wholeNumber = String.raw`(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)`;

/** {@link wholeNumber} with or without decimals. */
export const decimalNumber = String.raw`${wholeNumber}(?:\.\d+)?`;

/** Applies rules one after the other, each to what those before it have left. */
export function applyRules(text: string, rules: readonly Rule[]): string {
  return rules.reduce(applyRule, text);
}

/** Writes a regular expression with the global and Unicode flags, for patterns that are put together from parts. */
export function globally(source: string, flags = ''): RegExp {
  return new RegExp(source, `gu${flags}`);
}

function applyRule(text: string, { pattern, speak }: Rule): string {
  if (typeof speak === 'string') return text.replace(pattern, speak);
  return text.replace(pattern, (match: string, ...details: unknown[]) => {
    const groups = details.at(-1);
    return speak(typeof groups === 'object' ? (groups as Groups) : {}) ?? match;
  });
}
