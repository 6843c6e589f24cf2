import type { Expression } from '../languages/expression.ts';
import { gbnfGrammar } from './gbnf.ts';
import { larkGrammar } from './lark.ts';

/**
 * The notation of a grammar: GBNF where a line begins with `name ::=`, Lark where one begins with `name:` or `%…`; `undefined`
 * for neither.
 */
export function grammarNotation(grammar: string): 'gbnf' | 'lark' | undefined {
  if (/^[ \t]*[A-Za-z_][\w-]*\s*::=/m.test(grammar)) return 'gbnf';
  return /^[ \t]*(?:%|[?!]{0,2}[A-Za-z_][\w-]*[^\S\n]*(?:[.[{][^:\n]*)?:)/m.test(grammar)
    ? 'lark'
    : undefined;
}

/** Reads a grammar in GBNF or in Lark. */
export function writtenGrammar(grammar: string, path = 'grammar'): Expression {
  switch (grammarNotation(grammar)) {
    case 'gbnf':
      return gbnfGrammar(grammar, path);
    case 'lark':
      return larkGrammar(grammar, path);
    case undefined:
      throw new RangeError(
        `${path}: expected GBNF with rules as \`root ::= …\`, or Lark with rules as \`start: …\``,
      );
  }
}
