import type { Expression } from '../languages/expression.ts';
import { gbnfGrammar } from './gbnf.ts';
import { larkGrammar } from './lark.ts';
import { patternLanguage } from '../languages/pattern-language.ts';
import { parsePattern } from '../languages/regular-expression.ts';
import type { SchemaBudget } from '../schemas/size.ts';
import { schemaFault } from '../schemas/keywords.ts';
import { TextLanguages } from '../schemas/texts.ts';

/**
 * The notation of a grammar: GBNF if any line begins with `name ::=`, Lark if any line begins with `name:` or `%…`;
 * otherwise `undefined`.
 */
export function grammarNotation(grammar: string): 'gbnf' | 'lark' | undefined {
  if (/^[ \t]*[A-Za-z_][\w-]*\s*::=/m.test(grammar)) return 'gbnf';
  return /^[ \t]*(?:%|[?!]{0,2}[A-Za-z_][\w-]*[^\S\n]*(?:[.[{][^:\n]*)?:)/m.test(grammar)
    ? 'lark'
    : undefined;
}

export function writtenGrammar(grammar: string): Expression {
  switch (grammarNotation(grammar)) {
    case 'gbnf':
      return gbnfGrammar(grammar);
    case 'lark':
      return larkGrammar(grammar);
    case undefined:
      throw new RangeError(
        'grammar: expected GBNF with rules as `root ::= …`, or Lark with rules as `start: …`',
      );
  }
}

/** The texts that a regular expression matches completely, as with `^(?:…)$`. */
export function regexGrammar(regex: string, budget: SchemaBudget): Expression {
  const texts = new TextLanguages(budget);
  const { store } = texts;
  const whole = texts.guarded('regex', () =>
    patternLanguage(
      { type: 'sequence', items: [{ type: 'start' }, parsePattern(regex), { type: 'end' }] },
      store,
    ),
  );
  const language = texts.live(whole, 'regex');
  if (language === store.never)
    throw schemaFault('regex', 'expected a regular expression that some text matches');
  return { type: 'language', language, store, writing: 'plain' };
}
