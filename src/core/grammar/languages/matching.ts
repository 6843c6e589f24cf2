import { choice, character, repeat, sequence, type Expression } from './expression.ts';
import { parsePattern, type Pattern } from './regular-expression.ts';

/** The texts that a regular expression matches as a whole; one without anchors and look-arounds. */
export function matching(source: string): Expression {
  return expressionOf(parsePattern(source));
}

function expressionOf(pattern: Pattern): Expression {
  switch (pattern.kind) {
    case 'characters':
      return character(...pattern.set);
    case 'sequence':
      return sequence(...pattern.items.map(expressionOf));
    case 'alternatives':
      return choice(...pattern.items.map(expressionOf));
    case 'repeat':
      return repeat(expressionOf(pattern.item), pattern);
    default:
      throw new TypeError(`pattern: expected no ${pattern.kind}`);
  }
}
