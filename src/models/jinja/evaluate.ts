import { getAttribute, getItem, slice } from './access.ts';
import type {
  BinaryExpression,
  CallExpression,
  For,
  Identifier,
  MemberExpression,
  Node,
  Parameter,
} from './ast.ts';
import { findFilter } from './filters.ts';
import { applyUnary, binaryOperators } from './operators.ts';
import { escapeMarkup, toText } from './printing.ts';
import { Scope } from './scope.ts';
import { findTest } from './tests.ts';
import {
  Float,
  isArray,
  isDictionary,
  isTruthy,
  Namespace,
  toItems,
  Tuple,
  typeName,
  type Callable,
  type Keywords,
  type Value,
} from './values.ts';

interface Output {
  text: string;
  /** Set while a loop is being left. */
  exit?: 'Break' | 'Continue' | undefined;
}

/**
 * Renders the statements of a template as Jinja2 does in Python. The parser comes from `@huggingface/jinja`; its own
 * interpreter prints and compares values as JavaScript does, which changes prompts without a word.
 *
 * @throws Error where Jinja2 refuses the template or the values
 */
export function renderBlock(nodes: readonly Node[], scope: Scope): string {
  const output: Output = { text: '' };
  run(nodes, scope, output);
  return output.text;
}

function run(nodes: readonly Node[], scope: Scope, output: Output): void {
  for (const node of nodes) {
    execute(node, scope, output);
    if (output.exit) return;
  }
}

function execute(node: Node, scope: Scope, output: Output): void {
  switch (node.type) {
    case 'Comment':
      return;
    case 'StringLiteral':
      output.text += node.value;
      return;
    case 'If':
      run(isTruthy(evaluate(node.test, scope)) ? node.body : node.alternate, scope, output);
      return;
    case 'For':
      loop(node, scope, output);
      return;
    case 'Break':
    case 'Continue':
      output.exit = node.type;
      return;
    case 'Set':
      assign(node.assignee, node.value ? evaluate(node.value, scope) : renderBlock(node.body, scope), scope);
      return;
    case 'Macro':
      scope.set(node.name.value, createMacro(node.args, node.body, scope));
      return;
    case 'CallStatement': {
      const caller = createMacro(node.callerArgs ?? [], node.body, scope);
      output.text += toText(call(node.call, scope, [['caller', caller]]));
      return;
    }
    case 'FilterStatement':
      output.text += toText(applyFilter(renderBlock(node.body, new Scope(scope)), node.filter, scope));
      return;
    default:
      output.text += toText(evaluate(node, scope));
  }
}

/**
 * Every round starts with the names of the place around the loop: what one round sets, the next doesn't see. As in
 * Jinja2, and not in Python, the `else` block also runs if every round was cut short.
 */
function loop(node: For, scope: Scope, output: Output): void {
  const { iterable } = node;
  const isFiltered = iterable.type === 'SelectExpression';
  const all = toItems(evaluate(isFiltered ? iterable.lhs : iterable, scope));
  const items = isFiltered
    ? all.filter((item) => {
        const round = new Scope(scope);
        assign(node.loopvar, item, round);
        return isTruthy(evaluate(iterable.test, round));
      })
    : all;
  let finished = 0;
  for (const [index, item] of items.entries()) {
    const round = new Scope(scope);
    round.set('loop', describeRound(items, index));
    assign(node.loopvar, item, round);
    run(node.body, round, output);
    const { exit } = output;
    output.exit = undefined;
    if (exit === 'Break') break;
    if (exit !== 'Continue') finished += 1;
  }
  if (finished === 0) run(node.defaultBlock, new Scope(scope), output);
}

function describeRound(items: readonly Value[], index: number): Namespace {
  return new Namespace([
    ['index', index + 1],
    ['index0', index],
    ['revindex', items.length - index],
    ['revindex0', items.length - index - 1],
    ['first', index === 0],
    ['last', index === items.length - 1],
    ['length', items.length],
    ['previtem', items[index - 1]],
    ['nextitem', items[index + 1]],
    ['cycle', (values) => values[index % values.length]],
  ]);
}

function assign(target: Node, value: Value, scope: Scope): void {
  if (target.type === 'Identifier') {
    scope.set(target.value, value);
  } else if (target.type === 'TupleLiteral') {
    const items = toItems(value);
    if (items.length !== target.value.length) {
      throw new TypeError(`expected ${target.value.length} values to unpack, got ${items.length}`);
    }
    for (const [index, part] of target.value.entries()) assign(part, items[index], scope);
  } else if (target.type === 'MemberExpression' && target.property.type === 'Identifier') {
    const namespace = evaluate(target.object, scope);
    if (!(namespace instanceof Namespace))
      throw new TypeError('cannot assign attribute on non-namespace object');
    namespace.attributes.set(target.property.value, value);
  } else {
    throw new TypeError(`cannot assign to ${target.type}`);
  }
}

/** A macro sees the place where it was written, not the one that it is called from. */
function createMacro(parameters: readonly Parameter[], body: readonly Node[], place: Scope): Callable {
  return (args, keywords) => {
    const scope = new Scope(place);
    const rest = new Map(keywords);
    scope.set('caller', rest.get('caller'));
    rest.delete('caller');
    for (const [index, parameter] of parameters.entries()) {
      const [name, fallback] =
        parameter.type === 'Identifier' ? [parameter.value] : [parameter.key.value, parameter.value];
      const given = index < args.length ? args[index] : rest.get(name);
      rest.delete(name);
      scope.set(name, given === undefined && fallback ? evaluate(fallback, scope) : given);
    }
    scope.set('varargs', Tuple.from(args.slice(parameters.length)));
    scope.set('kwargs', new Map(rest));
    return renderBlock(body, scope);
  };
}

function evaluate(node: Node, scope: Scope): Value {
  switch (node.type) {
    case 'IntegerLiteral':
      return node.value;
    case 'FloatLiteral':
      return new Float(node.value);
    case 'StringLiteral':
      return node.value;
    case 'ArrayLiteral':
      return node.value.map((item) => evaluate(item, scope));
    case 'TupleLiteral':
      return Tuple.from(node.value, (item) => evaluate(item, scope));
    case 'ObjectLiteral':
      return new Map(Array.from(node.value, ([key, item]) => [evaluate(key, scope), evaluate(item, scope)]));
    case 'Identifier':
      return scope.get(node.value);
    case 'MemberExpression':
      return evaluateMember(node, scope);
    case 'CallExpression':
      return call(node, scope);
    case 'UnaryExpression':
      return applyUnary(node.operator.value, evaluate(node.argument, scope));
    case 'BinaryExpression':
      return evaluateBinary(node, scope);
    case 'FilterExpression':
      return applyFilter(evaluate(node.operand, scope), node.filter, scope);
    case 'TestExpression':
      return findTest(node.test.value)(evaluate(node.operand, scope)) !== node.negate;
    case 'SelectExpression':
      return isTruthy(evaluate(node.test, scope)) ? evaluate(node.lhs, scope) : undefined;
    case 'Ternary':
      return evaluate(isTruthy(evaluate(node.condition, scope)) ? node.trueExpr : node.falseExpr, scope);
    default:
      throw new TypeError(`unexpected ${node.type}`);
  }
}

function evaluateMember({ object, property, computed }: MemberExpression, scope: Scope): Value {
  const value = evaluate(object, scope);
  if (value === undefined) throw new TypeError(`'${describe(object)}' is undefined`);
  if (!computed && property.type === 'Identifier') return getAttribute(value, property.value);
  if (property.type !== 'SliceExpression') return getItem(value, evaluate(property, scope));
  if (typeof value !== 'string' && !isArray(value)) throw new TypeError(`${typeName(value)} can't be sliced`);
  const [start, stop, step] = [property.start, property.stop, property.step].map((bound) =>
    bound ? evaluate(bound, scope) : undefined,
  );
  return slice(value, start, stop, step);
}

function evaluateBinary({ operator, left, right }: BinaryExpression, scope: Scope): Value {
  const value = evaluate(left, scope);
  if (operator.value === 'and') return isTruthy(value) ? evaluate(right, scope) : value;
  if (operator.value === 'or') return isTruthy(value) ? value : evaluate(right, scope);
  const apply = binaryOperators.get(operator.value);
  if (!apply) throw new TypeError(`unknown operator ${operator.value}`);
  const other = evaluate(right, scope);
  try {
    if (operator.value === '+' && isMarkup(left) !== isMarkup(right)) {
      return isMarkup(left) ? apply(value, escaped(other)) : apply(escaped(value), other);
    }
    return apply(value, other);
  } catch (error) {
    if (value === undefined) throw new TypeError(`'${describe(left)}' is undefined`, { cause: error });
    throw error;
  }
}

/** Jinja escapes what is added to a text that is marked as safe. */
function isMarkup(node: Node): boolean {
  if (node.type === 'BinaryExpression') {
    return node.operator.value === '+' && (isMarkup(node.left) || isMarkup(node.right));
  }
  if (node.type !== 'FilterExpression') return false;
  const name = node.filter.type === 'Identifier' ? node.filter.value : describe(node.filter.callee);
  return ['safe', 'escape', 'e'].includes(name);
}

function escaped(value: Value): Value {
  return typeof value === 'string' ? escapeMarkup(value) : value;
}

function call(node: CallExpression, scope: Scope, extra: readonly (readonly [string, Value])[] = []): Value {
  const callee = evaluate(node.callee, scope);
  if (typeof callee !== 'function') {
    throw new TypeError(
      `'${describe(node.callee)}' is ${callee === undefined ? 'undefined' : 'no function'}`,
    );
  }
  const [args, keywords] = evaluateArguments(node.args, scope);
  return callee(args, new Map([...keywords, ...extra]));
}

function applyFilter(value: Value, filter: Identifier | CallExpression, scope: Scope): Value {
  if (filter.type === 'Identifier') return findFilter(filter.value)(value, [], new Map());
  const [args, keywords] = evaluateArguments(filter.args, scope);
  return findFilter(describe(filter.callee))(value, args, keywords);
}

function evaluateArguments(nodes: readonly Node[], scope: Scope): [Value[], Keywords] {
  const args: Value[] = [];
  const keywords = new Map<string, Value>();
  for (const node of nodes) {
    if (node.type === 'KeywordArgumentExpression') {
      keywords.set(node.key.value, evaluate(node.value, scope));
    } else if (node.type === 'SpreadExpression') {
      args.push(...toItems(evaluate(node.argument, scope)));
    } else if (node.type === 'KeywordSpreadExpression') {
      const more = evaluate(node.argument, scope);
      if (!isDictionary(more))
        throw new TypeError(`argument after ** must be a mapping, not ${typeName(more)}`);
      for (const [name, value] of more) keywords.set(toText(name), value);
    } else {
      args.push(evaluate(node, scope));
    }
  }
  return [args, keywords];
}

/** An expression as a template's author would point at it. */
function describe(node: Node): string {
  if (node.type === 'Identifier') return node.value;
  if (node.type !== 'MemberExpression') return 'value';
  if (!node.computed) return `${describe(node.object)}.${describe(node.property)}`;
  return node.property.type === 'StringLiteral'
    ? `${describe(node.object)}.${node.property.value}`
    : `${describe(node.object)}[…]`;
}
