import type { Expression } from './expression.ts';
import type { Language, LanguageStore } from './language.ts';

/** An expression of texts, characters, sequences, choices, repetitions and rules that don't recur as a language. */
export function languageOf(expression: Expression, store: LanguageStore): Language {
  switch (expression.type) {
    case 'texts':
      return store.union(...expression.texts.map((text) => store.text(text)));
    case 'character':
      return store.characters(expression.ranges);
    case 'sequence':
      return store.sequence(...expression.items.map((item) => languageOf(item, store)));
    case 'choice':
      return store.union(...expression.items.map((item) => languageOf(item, store)));
    case 'repeat':
      return store.repetition(languageOf(expression.item, store), expression);
    case 'rule':
      return languageOf(expression.rule.body, store);
    default:
      throw new TypeError(`expression: expected no ${expression.type}`);
  }
}
