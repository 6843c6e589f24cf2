export type Groups = Readonly<Record<string, string | undefined>>;

/** The words of a match; `undefined` leaves it to the next pattern. */
export type Speak = string | ((groups: Groups, match: string) => string | undefined);

/**
 * Patterns, the first one first, each or several with their words behind. Patterns must be sticky with named groups, and
 * their repetitions are bounded, so that a text takes linear time.
 */
export type Grammar = readonly (RegExp | Speak)[];

/** A class of tokens with its own grammar. A form sees the text around its token as it is written. */
export interface TokenClass {
  /** A sticky pattern that every token of the class with a digit or a letter first matches. It only saves time. */
  readonly when?: RegExp;
  /** Forms that begin with a digit. */
  readonly digits?: Grammar;
  /** Forms that begin with a letter: tried at `words`, and at words that a digit or a mark follows at once. */
  readonly letters?: Grammar;
  readonly words?: Iterable<string>;
  /** Forms by the marks that they begin with. */
  readonly marks?: Readonly<Record<string, Grammar>>;
}

/** The source of a regular expression for digits with optional thousands separators. */
export const wholeNumber = String.raw`(?:\d{1,3}(?:,\d{3}){1,8}(?!\d)|\d{1,40})`;

/** {@link wholeNumber} with optional decimals. */
export const decimalNumber = String.raw`(?:${wholeNumber}(?:\.\d{1,40})?|(?<!\d)\.\d{1,40})`;

/** The source of a regular expression for one of the names. */
export function oneOf(names: Iterable<string>): string {
  return [...names]
    .sort((one, other) => other.length - one.length)
    .map((name) => name.replaceAll(/[.$^]/g, String.raw`\$&`))
    .join('|');
}

/** Composes a sticky regular expression with the Unicode flag from parts. */
export const sticky = expressionWith('uy');
export const stickyInAnyCase = expressionWith('iuy');

function expressionWith(flags: string) {
  return (source: TemplateStringsArray, ...parts: readonly string[]): RegExp =>
    new RegExp(String.raw(source, ...parts), flags);
}
