import type { Expression } from '../languages/expression.ts';
import { patternLanguage } from '../languages/pattern-language.ts';
import { parsePattern } from '../languages/regular-expression.ts';
import type { SchemaBudget } from '../schemas/budget.ts';
import { schemaFault } from '../schemas/keywords.ts';
import { TextLanguages } from '../schemas/texts.ts';

/** The texts that a regular expression matches as a whole, as `^(?:…)$` does. */
export function regexGrammar(regex: string, budget: SchemaBudget, path = 'regex'): Expression {
  const texts = new TextLanguages(budget);
  const { store } = texts;
  const whole = texts.guarded(path, () =>
    patternLanguage(
      { kind: 'sequence', items: [{ kind: 'start' }, parsePattern(regex), { kind: 'end' }] },
      store,
    ),
  );
  const language = texts.live(whole, path);
  if (language === store.never)
    throw schemaFault(path, 'expected a regular expression that some text matches');
  return { type: 'language', language, store, writing: 'plain' };
}
