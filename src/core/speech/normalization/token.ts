export type Groups = Readonly<Record<string, string | undefined>>;

/** A way to write something, and its words; `undefined` leaves a match to the next form. */
export type Form = readonly [
  /** Must be sticky; groups must be named. Repetitions are bounded, so that no text takes more than linear time. */
  pattern: RegExp,
  speak: string | ((groups: Groups, match: string) => string | undefined),
];

/** A class of tokens with its own grammar. A form sees the text around its token as it is written. */
export interface TokenClass {
  /** Forms that begin with a digit. */
  readonly digits?: readonly Form[];
  /** Forms that begin with a letter: tried at `words`, and at words that a digit or a mark follows at once. */
  readonly letters?: readonly Form[];
  readonly words?: Iterable<string>;
  /** Forms by the marks that they begin with. */
  readonly marks?: Readonly<Record<string, readonly Form[]>>;
}

/** Forms with the same spoken words. */
export function spokenAlike(speak: Form[1], ...patterns: readonly RegExp[]): readonly Form[] {
  return patterns.map((pattern) => [pattern, speak]);
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

/** The entries of a table that is written as `key value, key value`. */
export function tableOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text
      .split(/,\s+/)
      .map((entry) => [entry.slice(0, entry.indexOf(':')), entry.slice(entry.indexOf(':') + 1)]),
  );
}

/** Composes a sticky regular expression with the Unicode flag from parts. */
export const sticky = expressionWith('uy');
export const stickyInAnyCase = expressionWith('iuy');

function expressionWith(flags: string) {
  return (source: TemplateStringsArray, ...parts: readonly string[]): RegExp =>
    new RegExp(String.raw(source, ...parts), flags);
}
