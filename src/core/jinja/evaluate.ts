import { getAttribute, getItem, slice } from './access.ts';
import { findFilter } from './filters.ts';
import { applyUnary, binaryOperators } from './operators.ts';
import { escapeMarkup, toText } from './printing.ts';
import { findTest } from './tests.ts';
import {
  Instance,
  isArray,
  isDictionary,
  isTruthy,
  toItems,
  Tuple,
  typeName,
  type Keywords,
  type Value,
} from './values.ts';
import type { Budget } from './budget.ts';

/** A compiled expression. */
export interface Expression {
  /** @throws Error if Jinja2 would reject the expression, or if it takes too many steps */
  evaluate(scope: Scope): Value;
  /** The expression for error messages. */
  readonly label: string;
  readonly constant?: Value;
  /** Whether its text is marked as safe: Jinja escapes everything that is concatenated with it. */
  readonly isMarkup: boolean;
  /** Assigns a value to the expression's name or names. */
  readonly assign?: Assign | undefined;
  /** Evaluates a call with additional keywords. */
  readonly call?: Call;
}

export type Assign = (value: Value, scope: Scope) => void;
type Call = (scope: Scope, extra?: readonly (readonly [string, Value])[]) => Value;

export interface FilterCall {
  readonly name: string;
  readonly args: Arguments;
}

export interface Arguments {
  readonly positional: readonly Expression[];
  readonly keywords: readonly (readonly [string, Expression])[];
  /** `*list` and `**mapping`. */
  readonly list: Expression | undefined;
  readonly mapping: Expression | undefined;
}

export function expression(evaluate: Expression['evaluate'], more: Partial<Expression> = {}): Expression {
  return {
    label: 'value',
    isMarkup: false,
    ...more,
    evaluate(scope) {
      scope.budget.spend(1);
      return evaluate(scope);
    },
  };
}

export function constant(value: Value): Expression {
  return expression(() => value, { constant: value });
}

export function variable(name: string): Expression & { readonly assign: Assign } {
  const assign: Assign = (value, scope) => scope.set(name, value);
  return { ...expression((scope) => scope.get(name), { label: name }), assign };
}

export function tuple(items: readonly Expression[]): Expression {
  const targets = items.flatMap(({ assign }) => assign ?? []);
  const assign: Assign = (value, scope) => {
    const values = toItems(value);
    if (values.length !== targets.length)
      throw new TypeError(`expected ${targets.length} values to unpack, got ${values.length}`);
    for (const [index, target] of targets.entries()) target(values[index], scope);
  };
  return expression((scope) => Tuple.from(items, (item) => item.evaluate(scope)), {
    assign: targets.length === items.length ? assign : undefined,
  });
}

export function attribute(value: Expression, name: string): Expression {
  return expression((scope) => getAttribute(defined(value, scope), name, scope.budget.mayChange), {
    label: `${value.label}.${name}`,
  });
}

export function subscript(value: Expression, key: Expression): Expression {
  const place = typeof key.constant === 'string' ? `.${key.constant}` : '[…]';
  return expression((scope) => getItem(defined(value, scope), key.evaluate(scope)), {
    label: value.label + place,
  });
}

/** @param bounds start, stop and step */
export function sliceOf(whole: Expression, bounds: readonly (Expression | undefined)[]): Expression {
  return expression((scope) => {
    const value = defined(whole, scope);
    if (typeof value !== 'string' && !isArray(value))
      throw new TypeError(`${typeName(value)} can't be sliced`);
    const [start, stop, step] = bounds.map((bound) => bound?.evaluate(scope));
    scope.budget.spendOn(value);
    return slice(value, start, stop, step);
  });
}

function defined(node: Expression, scope: Scope): Value {
  const value = node.evaluate(scope);
  if (value === undefined) throw new TypeError(`'${node.label}' is undefined`);
  return value;
}

export function unary(operator: string, value: Expression): Expression {
  return expression((scope) => applyUnary(operator, value.evaluate(scope)));
}

export function binary(operator: string, left: Expression, right: Expression): Expression {
  const isSum = operator === '+';
  return expression(
    (scope) => {
      const value = left.evaluate(scope);
      if (operator === 'and') return isTruthy(value) ? right.evaluate(scope) : value;
      if (operator === 'or') return isTruthy(value) ? value : right.evaluate(scope);
      const other = right.evaluate(scope);
      if (!isSum || left.isMarkup === right.isMarkup) return apply(operator, value, other, left, scope);
      const [a, b] = left.isMarkup ? [value, escaped(other)] : [escaped(value), other];
      return apply(operator, a, b, left, scope);
    },
    { isMarkup: isSum && (left.isMarkup || right.isMarkup) },
  );
}

/** `a < b < c` requires both, and evaluates `b` once. */
export function comparison(
  first: Expression,
  rest: readonly (readonly [operator: string, Expression])[],
): Expression {
  return expression((scope) => {
    let value = first.evaluate(scope);
    let left = first;
    for (const [operator, right] of rest) {
      const other = right.evaluate(scope);
      if (apply(operator, value, other, left, scope) !== true) return false;
      value = other;
      left = right;
    }
    return true;
  });
}

function apply(operator: string, value: Value, other: Value, left: Expression, scope: Scope): Value {
  scope.budget.spendOn(value);
  scope.budget.spendOn(other);
  try {
    return binaryOperators.get(operator)!(value, other);
  } catch (error) {
    if (value === undefined) throw new TypeError(`'${left.label}' is undefined`, { cause: error });
    throw error;
  }
}

function escaped(value: Value): Value {
  return typeof value === 'string' ? escapeMarkup(value) : value;
}

export function choice(test: Expression, value: Expression, otherwise: Expression | undefined): Expression {
  return expression((scope) =>
    isTruthy(test.evaluate(scope)) ? value.evaluate(scope) : otherwise?.evaluate(scope),
  );
}

export function callOf(callee: Expression, args: Arguments): Expression {
  const call: Call = (scope, extra = []) => {
    const value = callee.evaluate(scope);
    const target = value instanceof Instance ? value.call : value;
    if (typeof target !== 'function')
      throw new TypeError(`'${callee.label}' is ${value === undefined ? 'undefined' : 'no function'}`);
    const [given, keywords] = evaluateArguments(args, scope);
    const result = target(given, new Map([...keywords, ...extra]));
    scope.budget.spendOn(result);
    return result;
  };
  return expression(call, { call });
}

export function filtered(value: Expression, filter: FilterCall): Expression {
  return expression((scope) => applyFilter(value.evaluate(scope), filter, scope), {
    isMarkup: ['safe', 'escape', 'e'].includes(filter.name),
  });
}

export function applyFilter(value: Value, filter: FilterCall, scope: Scope): Value {
  const [args, keywords] = evaluateArguments(filter.args, scope);
  scope.budget.spendOn(value);
  const result = findFilter(filter.name)(value, args, keywords);
  scope.budget.spendOn(result);
  return result;
}

export function tested(subject: Expression, name: string, args: Arguments): Expression {
  return expression((scope) => {
    const value = subject.evaluate(scope);
    const [given] = evaluateArguments(args, scope);
    scope.budget.spendOn(value);
    return findTest(name)(value, ...given);
  });
}

function evaluateArguments(node: Arguments, scope: Scope): [Value[], Keywords] {
  const args: Value[] = [];
  for (const item of node.positional) args.push(item.evaluate(scope));
  const keywords = new Map<string, Value>();
  for (const [name, value] of node.keywords) {
    if (keywords.has(name)) throw new TypeError(`keyword argument repeated: ${name}`);
    keywords.set(name, value.evaluate(scope));
  }
  if (node.list) for (const item of toItems(node.list.evaluate(scope))) args.push(item);
  if (node.mapping) {
    const more = node.mapping.evaluate(scope);
    if (!isDictionary(more))
      throw new TypeError(`argument after ** must be a mapping, not ${typeName(more)}`);
    for (const [name, value] of more) keywords.set(toText(name), value);
  }
  return [args, keywords];
}

/** The names visible at a position in a template. */
export class Scope {
  readonly budget: Budget;
  readonly #values = new Map<string, Value>();
  readonly #parent: Scope | undefined;

  constructor(origin: Scope | Budget) {
    const isInner = origin instanceof Scope;
    this.#parent = isInner ? origin : undefined;
    this.budget = isInner ? origin.budget : origin;
  }

  get(name: string): Value {
    return this.#values.has(name) ? this.#values.get(name) : this.#parent?.get(name);
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value);
  }
}
