import {
  choice,
  empty,
  never,
  refer,
  repeat,
  rule,
  sequence,
  type Expression,
  type Rule,
} from '../languages/expression.ts';
import { isNullable, nullableRules } from '../languages/nullable.ts';

/** Maximum number of mutually left-recursive rules; the rewritten rules are quadratic in it. */
const maxMembers = 32;

/**
 * Removes direct and indirect left recursion, which would never consume a character. The language stays the same:
 * `a: a x | b` becomes `a: b x*`; several rules become their non-recursive beginnings, then transitions between rules.
 * R. C. Moore, Removing Left Recursion from Context-Free Grammars, 2000: the left-corner transform.
 */
export function rewriteLeftRecursion(rules: readonly Rule[], nullable: ReadonlySet<Rule>): Rule | undefined {
  const all = [...rules];
  for (const members of recursiveComponents(rules, nullable)) {
    const added = members.size > maxMembers ? undefined : rewrite([...members], nullable);
    if (!added) return [...members][0];
    all.push(...added);
  }
  const [rest] = all.length === rules.length ? [] : recursiveComponents(all, nullableRules(all));
  return rest && [...rest][0];
}

/** Sets of mutually left-recursive rules (H. N. Gabow, Path-Based Depth-First Search, 2000). */
function recursiveComponents(rules: readonly Rule[], nullable: ReadonlySet<Rule>): ReadonlySet<Rule>[] {
  const found: ReadonlySet<Rule>[] = [];
  const order = new Map<Rule, number>();
  const finished = new Set<Rule>();
  const open: Rule[] = [];
  const roots: Rule[] = [];
  const trail: { readonly rule: Rule; readonly first: ReadonlySet<Rule>; readonly next: Rule[] }[] = [];
  const enter = (one: Rule): void => {
    order.set(one, order.size);
    open.push(one);
    roots.push(one);
    const first = new Set(firstRules(one.body, nullable));
    trail.push({ rule: one, first, next: [...first] });
  };
  for (const start of rules) {
    if (!order.has(start)) enter(start);
    for (let here = trail.at(-1); here; here = trail.at(-1)) {
      const next = here.next.pop();
      if (!next) {
        trail.pop();
        if (roots.at(-1) !== here.rule) continue;
        roots.pop();
        const component = open.splice(open.lastIndexOf(here.rule));
        for (const one of component) finished.add(one);
        if (component.length > 1 || here.first.has(here.rule)) found.push(new Set(component));
      } else if (!order.has(next)) enter(next);
      else if (!finished.has(next)) while (order.get(roots.at(-1)!)! > order.get(next)!) roots.pop();
    }
  }
  return found;
}

interface Loops {
  readonly recursive: ReadonlySet<Rule>;
  readonly nullable: ReadonlySet<Rule>;
}

/** @returns the new rules; `undefined` for recursion after a part that may be empty */
function rewrite(members: readonly Rule[], nullable: ReadonlySet<Rule>): Rule[] | undefined {
  const loops = { recursive: new Set(members), nullable };
  const added: Rule[] = [];
  const make = (name: string, body: Expression): Expression => {
    const made = rule(name, body);
    added.push(made);
    return refer(made);
  };
  const bases = new Map<Rule, Expression>();
  /** For each pair of members, the expression that continues a text of the first to a text of the second. */
  const turns = new Map<Rule, Map<Rule, Expression>>(members.map((member) => [member, new Map()]));
  for (const member of members) {
    const parts = split(member.body, loops);
    if (!parts) return undefined;
    const base = parts.get(undefined);
    if (base) bases.set(member, make(member.name, base));
    for (const [first, part] of parts) {
      if (!first) continue;
      const own = members.length === 1 && base ? withLast(part, member, bases.get(member)!) : part;
      turns.get(first)!.set(member, make(member.name, own));
    }
  }
  for (const target of members) {
    const tails = new Map(members.map((from) => [from, rule(target.name)]));
    for (const [from, tail] of tails) {
      const ways = [...turns.get(from)!].filter(([to]) => to !== from);
      const round = turns.get(from)!.get(from) ?? never;
      tail.body = sequence(
        repeat(round, { min: 0, max: Infinity }),
        choice(
          from === target ? empty : never,
          ...ways.map(([to, turn]) => sequence(turn, refer(tails.get(to)!))),
        ),
      );
      added.push(tail);
    }
    target.body = choice(...[...bases].map(([from, base]) => sequence(base, refer(tails.get(from)!))));
  }
  return added;
}

/** @returns `undefined` for a member after a part that may be empty */
function split(expression: Expression, loops: Loops): Parts | undefined {
  if (!begins(expression, loops)) return new Map([[undefined, expression]]);
  switch (expression.type) {
    case 'rule':
      return new Map([[expression.rule, empty]]);
    case 'choice': {
      const items = expression.items.map((item) => split(item, loops));
      const firsts = new Set(items.flatMap((parts) => [...(parts?.keys() ?? [])]));
      const joined = [...firsts].map((first) => {
        const own = items.flatMap((parts) => parts?.get(first) ?? []);
        return [first, choice(...own)] as const;
      });
      return items.includes(undefined) ? undefined : new Map(joined);
    }
    case 'repeat': {
      const { item, min, max } = expression;
      const more = repeat(item, { min: Math.max(0, min - 1), max: max - 1 });
      const parts = followed(item, [more], loops);
      const none = parts?.get(undefined) ?? never;
      return min === 0 ? parts?.set(undefined, choice(none, empty)) : parts;
    }
    case 'sequence': {
      const [head, ...tail] = expression.items;
      return followed(head!, tail, loops);
    }
    default:
      return undefined;
  }
}

function followed(head: Expression, tail: readonly Expression[], loops: Loops): Parts | undefined {
  const isHidden = isNullable(head, loops.nullable) && begins(sequence(...tail), loops);
  const parts = isHidden ? undefined : split(head, loops);
  return parts && new Map([...parts].map(([first, part]) => [first, sequence(part, ...tail)]));
}

function begins(expression: Expression, { recursive, nullable }: Loops): boolean {
  return firstRules(expression, nullable).some((one) => recursive.has(one));
}

/**
 * Replaces a rule at the end of the expression. In `a: a x a | b` the second `a` may be `b`, since whatever follows the
 * second also follows the first: the language stays the same, with less ambiguity.
 */
function withLast(expression: Expression, last: Rule, other: Expression): Expression {
  switch (expression.type) {
    case 'rule':
      return expression.rule === last ? other : expression;
    case 'choice':
      return choice(...expression.items.map((item) => withLast(item, last, other)));
    case 'sequence': {
      const { items } = expression;
      return items.length === 0
        ? empty
        : sequence(...items.slice(0, -1), withLast(items.at(-1)!, last, other));
    }
    default:
      return expression;
  }
}

/** The rest of an expression after each member that it may begin with; `undefined` for alternatives without a member. */
type Parts = Map<Rule | undefined, Expression>;

/** The rules that an expression may begin with. */
function firstRules(expression: Expression, nullable: ReadonlySet<Rule>): readonly Rule[] {
  switch (expression.type) {
    case 'rule':
      return [expression.rule];
    case 'choice':
      return expression.items.flatMap((item) => firstRules(item, nullable));
    case 'repeat':
      return firstRules(expression.item, nullable);
    case 'sequence': {
      const { items } = expression;
      const last = items.findIndex((item) => !isNullable(item, nullable));
      return items.slice(0, last < 0 ? items.length : last + 1).flatMap((item) => firstRules(item, nullable));
    }
    default:
      return [];
  }
}
