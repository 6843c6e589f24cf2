import { getAttribute, getItem, slice } from './access.ts';
import type { Arguments, Binary, Call, Expression, FilterCall } from './ast.ts';
import { filters, findFilter } from './filters.ts';
import { applyUnary, binaryOperators } from './operators.ts';
import { escapeMarkup, toText } from './printing.ts';
import { findTest } from './tests.ts';
import {
  Instance,
  isArray,
  isDictionary,
  isTruthy,
  toDictionary,
  toItems,
  Tuple,
  typeName,
  type Keywords,
  type Value,
} from './values.ts';
import type { Budget } from './budget.ts';

/** @throws Error where Jinja2 refuses the expression, and where it takes too many steps */
export function evaluate(node: Expression, scope: Scope): Value {
  scope.budget.spend(1);
  switch (node.type) {
    case 'constant':
      return node.value;
    case 'list':
      return node.items.map((item) => evaluate(item, scope));
    case 'tuple':
      return Tuple.from(node.items, (item) => evaluate(item, scope));
    case 'dictionary':
      return toDictionary(
        node.entries.map(([key, value]) => [evaluate(key, scope), evaluate(value, scope)] as const),
      );
    case 'name':
      return scope.get(node.name);
    case 'attribute':
      return getAttribute(defined(node.value, scope), node.name, scope.budget.mayChange);
    case 'item':
      return getItem(defined(node.value, scope), evaluate(node.key, scope));
    case 'slice': {
      const value = defined(node.value, scope);
      if (typeof value !== 'string' && !isArray(value))
        throw new TypeError(`${typeName(value)} can't be sliced`);
      const [start, stop, step] = node.bounds.map((bound) => bound && evaluate(bound, scope));
      scope.budget.spendOn(value);
      return slice(value, start, stop, step);
    }
    case 'call':
      return call(node, scope);
    case 'unary':
      return applyUnary(node.operator, evaluate(node.value, scope));
    case 'binary':
      return evaluateBinary(node, scope);
    case 'comparison':
      return evaluateComparison(node, scope);
    case 'filter':
      return applyFilter(evaluate(node.value, scope), node.filter, scope);
    case 'test': {
      const value = evaluate(node.value, scope);
      const [args] = evaluateArguments(node.args, scope);
      scope.budget.spendOn(value);
      // The filters know the tests, so that the tests can't know them.
      return node.name === 'filter' ? filters.has(toText(value)) : findTest(node.name)(value, ...args);
    }
    case 'choice':
      if (isTruthy(evaluate(node.test, scope))) return evaluate(node.value, scope);
      return node.otherwise && evaluate(node.otherwise, scope);
  }
}

function defined(node: Expression, scope: Scope): Value {
  const value = evaluate(node, scope);
  if (value === undefined) throw new TypeError(`'${describe(node)}' is undefined`);
  return value;
}

function evaluateBinary(node: Binary, scope: Scope): Value {
  const { operator, left, right } = node;
  const value = evaluate(left, scope);
  if (operator === 'and') return isTruthy(value) ? evaluate(right, scope) : value;
  if (operator === 'or') return isTruthy(value) ? value : evaluate(right, scope);
  const other = evaluate(right, scope);
  if (operator === '+' && isMarkup(left) !== isMarkup(right)) {
    return isMarkup(left)
      ? apply(operator, value, escaped(other), left, scope)
      : apply(operator, escaped(value), other, left, scope);
  }
  return apply(operator, value, other, left, scope);
}

/** `a < b < c` asks for both, and looks at `b` once. */
function evaluateComparison(node: Extract<Expression, { type: 'comparison' }>, scope: Scope): Value {
  let value = evaluate(node.value, scope);
  let left = node.value;
  for (const [operator, right] of node.rest) {
    const other = evaluate(right, scope);
    if (apply(operator, value, other, left, scope) !== true) return false;
    value = other;
    left = right;
  }
  return true;
}

function apply(operator: string, value: Value, other: Value, left: Expression, scope: Scope): Value {
  scope.budget.spendOn(value);
  scope.budget.spendOn(other);
  try {
    return binaryOperators.get(operator)!(value, other);
  } catch (error) {
    if (value === undefined) throw new TypeError(`'${describe(left)}' is undefined`, { cause: error });
    throw error;
  }
}

/** Jinja escapes what is added to a text that is marked as safe. */
function isMarkup(node: Expression): boolean {
  if (node.type === 'binary') return node.operator === '+' && (isMarkup(node.left) || isMarkup(node.right));
  return node.type === 'filter' && ['safe', 'escape', 'e', 'forceescape'].includes(node.filter.name);
}

function escaped(value: Value): Value {
  return typeof value === 'string' ? escapeMarkup(value) : value;
}

export function call(node: Call, scope: Scope, extra: readonly (readonly [string, Value])[] = []): Value {
  const callee = evaluate(node.callee, scope);
  const target = callee instanceof Instance ? callee.call : callee;
  if (typeof target !== 'function') {
    throw new TypeError(
      `'${describe(node.callee)}' is ${callee === undefined ? 'undefined' : 'no function'}`,
    );
  }
  const [args, keywords] = evaluateArguments(node.args, scope);
  const result = target(args, new Map([...keywords, ...extra]));
  scope.budget.spendOn(result);
  return result;
}

export function applyFilter(value: Value, filter: FilterCall, scope: Scope): Value {
  const [args, keywords] = evaluateArguments(filter.args, scope);
  scope.budget.spendOn(value);
  const result = findFilter(filter.name)(value, args, keywords);
  scope.budget.spendOn(result);
  return result;
}

function evaluateArguments(node: Arguments, scope: Scope): [Value[], Keywords] {
  const args = node.positional.map((item) => evaluate(item, scope));
  const keywords = new Map<string, Value>();
  for (const [name, value] of node.keywords) {
    if (keywords.has(name)) throw new TypeError(`keyword argument repeated: ${name}`);
    keywords.set(name, evaluate(value, scope));
  }
  if (node.list) for (const item of toItems(evaluate(node.list, scope))) args.push(item);
  if (node.mapping) {
    const more = evaluate(node.mapping, scope);
    if (!isDictionary(more))
      throw new TypeError(`argument after ** must be a mapping, not ${typeName(more)}`);
    for (const [name, value] of more) keywords.set(toText(name), value);
  }
  return [args, keywords];
}

/** An expression as a template's author would point at it. */
function describe(node: Expression): string {
  if (node.type === 'name') return node.name;
  if (node.type === 'attribute') return `${describe(node.value)}.${node.name}`;
  if (node.type !== 'item') return 'value';
  return node.key.type === 'constant' && typeof node.key.value === 'string'
    ? `${describe(node.value)}.${node.key.value}`
    : `${describe(node.value)}[…]`;
}

/** The names that can be seen from one place of a template. */
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
