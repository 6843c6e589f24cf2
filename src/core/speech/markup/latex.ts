import { tableOf } from '../table-of.ts';

/** Commands of LaTeX that are spoken otherwise than by their names. */
const commands = tableOf(
  'times:×, cdot:×, div:÷, pm:±, le:≤, leq:≤, ge:≥, geq:≥, ne:≠, neq:≠, approx:≈, infty:infinity, to:→, rightarrow:→, ldots:…, dots:…, ' +
    'sum:sum of, prod:product of, int:integral of, circ:°, quad: , qquad: , left: , right: , displaystyle: , text: , mathrm: , mathbf: , mathbb: ',
);
/** Nested groups are rewritten from inside, at most this deep. */
const maxDepth = 8;
const group = String.raw`\{([^{}]{0,500})\}`;
const fraction = new RegExp(String.raw`\\[dt]?frac\s*${group}\s*${group}`, 'g');
const root = new RegExp(String.raw`\\sqrt\s*${group}`, 'g');
/** Groups that are no argument of a fraction or a root. */
const braces = new RegExp(String.raw`(?<!\\[dt]?frac\s{0,9}|\\sqrt\s{0,9}|\}\s{0,9})${group}`, 'g');

/** A formula in LaTeX as a text that is read aloud as the formula: `\frac{a}{b}` becomes `a over b`. */
export function readLatex(formula: string): string {
  let text = formula;
  for (let depth = 0; depth < maxDepth && text.includes('{'); depth++)
    text = text
      .replace(fraction, ' $1 over $2 ')
      .replace(root, ' square root of $1 ')
      .replace(braces, ' $1 ');
  return text
    .replace(/\\([A-Za-z]{1,30})/g, (_, name: string) => ` ${commands[name] ?? name} `)
    .replace(/\\[,;:! ]|[{}~&]|\\\\/g, ' ')
    .replace(/\s*([_^])\s*/g, (_, sign: string) => (sign === '_' ? ' sub ' : '^'))
    .replace(/\\/g, '')
    .replace(/ {2,}/g, ' ')
    .trim();
}
