import type { Expression, Rule } from './expression.ts';
import { isNullable } from './nullable.ts';

/** A rule that may begin with itself, by way of others too: reading it would never get to a character. */
export function leftRecursiveRule(rules: readonly Rule[], nullable: ReadonlySet<Rule>): Rule | undefined {
  const finished = new Set<Rule>();
  for (const start of rules) {
    const open = new Set<Rule>();
    const trail: { readonly rule: Rule; readonly next: Rule[] }[] = [];
    const enter = (rule: Rule): void => {
      open.add(rule);
      const next = new Set<Rule>();
      addFirstRules(rule.body, nullable, next);
      trail.push({ rule, next: [...next] });
    };
    if (!finished.has(start)) enter(start);
    for (let here = trail.at(-1); here; here = trail.at(-1)) {
      const next = here.next.pop();
      if (!next) {
        trail.pop();
        open.delete(here.rule);
        finished.add(here.rule);
      } else if (open.has(next)) return next;
      else if (!finished.has(next)) enter(next);
    }
  }
  return undefined;
}

function addFirstRules(expression: Expression, nullable: ReadonlySet<Rule>, first: Set<Rule>): void {
  switch (expression.type) {
    case 'rule':
      first.add(expression.rule);
      break;
    case 'choice':
      for (const item of expression.items) addFirstRules(item, nullable, first);
      break;
    case 'repeat':
      addFirstRules(expression.item, nullable, first);
      break;
    case 'sequence':
      for (const item of expression.items) {
        addFirstRules(item, nullable, first);
        if (!isNullable(item, nullable)) break;
      }
      break;
    default:
      break;
  }
}
