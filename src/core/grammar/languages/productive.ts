import { isLive } from './live.ts';
import type { Expression, Rule } from './expression.ts';

/** Determines which expressions match any text: a rule that requires itself and an empty character class don't. */
export function productiveExpressions(expression: Expression): (part: Expression) => boolean {
  const rules = rulesOf(expression);
  const productive = new Set<Rule>();
  const check = (part: Expression): boolean => {
    switch (part.type) {
      case 'texts':
        return part.texts.length > 0;
      case 'character':
        return part.ranges.length > 0;
      case 'sequence':
        return part.items.every(check);
      case 'choice':
        return part.items.some(check);
      case 'repeat':
      case 'distinct':
        return part.min <= part.max && (part.min === 0 || check(part.item));
      case 'language':
        return isLive(part.language, part.store);
      case 'mark':
        return isLive(part.of.language, part.of.store);
      case 'rule':
        return productive.has(part.rule);
      case 'free-text':
        return true;
    }
  };
  for (let before = -1; before !== productive.size;) {
    before = productive.size;
    for (const rule of rules) if (!productive.has(rule) && check(rule.body)) productive.add(rule);
  }
  return check;
}

/** Rules follow the rules they refer to, so that most are settled in the first round. */
function rulesOf(expression: Expression): Rule[] {
  const rules = new Set<Rule>();
  const visit = (part: Expression): void => {
    if (part.type === 'sequence' || part.type === 'choice') part.items.forEach(visit);
    else if (part.type === 'repeat') visit(part.item);
    else if (part.type === 'distinct') [part.item, part.separator].forEach(visit);
    else if (part.type === 'rule') rules.add(part.rule);
  };
  visit(expression);
  // Visits rules that are added during the loop, too.
  for (const rule of rules) visit(rule.body);
  return [...rules].toReversed();
}
