import type { CodePointSet } from './code-points.ts';
import { choice, character, repeat, sequence, type Expression } from './expression.ts';
import { parsePattern, type Pattern } from './regular-expression.ts';

/** The texts that a regular expression matches as a whole; one without anchors and look-arounds. */
export function matching(source: string): Expression {
  return expressionOf(parsePattern(source), {
    character: (set) => character(...set),
    repeat,
    refuse(kind) {
      throw new TypeError(`pattern: expected no ${kind}`);
    },
  });
}

/** How a grammar writes the parts of patterns. */
interface PatternParts {
  character(set: CodePointSet): Expression;
  repeat(item: Expression, bounds: { readonly min: number; readonly max: number }): Expression;
  refuse(kind: 'start' | 'end' | 'look-ahead'): never;
}

export function expressionOf(pattern: Pattern, parts: PatternParts): Expression {
  switch (pattern.kind) {
    case 'characters':
      return parts.character(pattern.set);
    case 'sequence':
      return sequence(...pattern.items.map((item) => expressionOf(item, parts)));
    case 'alternatives':
      return choice(...pattern.items.map((item) => expressionOf(item, parts)));
    case 'repeat':
      return parts.repeat(expressionOf(pattern.item, parts), pattern);
    default:
      return parts.refuse(pattern.kind);
  }
}
