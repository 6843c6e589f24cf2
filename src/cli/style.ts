type Paint = (text: string) => string;

/** Ways to set off text; each leaves it as it is where there is no colour. */
export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

/** @see https://www.ecma-international.org/publications-and-standards/standards/ecma-48/ section 8.3.117 */
export function createStyle(hasColor: boolean): Style {
  const between =
    (begin: number, end: number): Paint =>
    (text) =>
      hasColor ? `\u001B[${begin}m${text}\u001B[${end}m` : text;
  return {
    bold: between(1, 22),
    dim: between(2, 22),
    red: between(31, 39),
    green: between(32, 39),
    yellow: between(33, 39),
    cyan: between(36, 39),
  };
}
