import type { Expression, Rule } from './expression.ts';

const none: ReadonlySet<Rule> = new Set();

/** Whether an expression matches the empty text. */
export function isNullable(expression: Expression, nullable = none): boolean {
  switch (expression.type) {
    case 'texts':
      return expression.texts.includes('');
    case 'sequence':
      return expression.items.every((item) => isNullable(item, nullable));
    case 'choice':
      return expression.items.some((item) => isNullable(item, nullable));
    case 'repeat':
      return expression.min === 0 || isNullable(expression.item, nullable);
    case 'distinct':
      return expression.min === 0;
    case 'free-text':
      return !expression.isClosed;
    case 'language':
      return expression.language.nullable;
    case 'mark':
      return expression.of.writing === 'plain' && expression.of.language.nullable;
    case 'rule':
      return nullable.has(expression.rule);
    case 'character':
      return false;
  }
}

export function nullableRules(rules: readonly Rule[]): ReadonlySet<Rule> {
  const nullable = new Set<Rule>();
  for (let before = -1; before !== nullable.size;) {
    before = nullable.size;
    for (const rule of rules) if (!nullable.has(rule) && isNullable(rule.body, nullable)) nullable.add(rule);
  }
  return nullable;
}
