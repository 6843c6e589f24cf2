import type { Body, FilterCall, For, Parameter, Statement, Target } from './ast.ts';
import { assertTextLength } from './budget.ts';
import { applyFilter, call, evaluate, Scope } from './evaluate.ts';
import { runSteps } from '../run-steps.ts';
import { toText } from './printing.ts';
import {
  Instance,
  isEqual,
  isTruthy,
  Namespace,
  toItems,
  Tuple,
  type Callable,
  type Value,
} from './values.ts';

/** The variable `loop`. */
class LoopContext extends Instance {
  static readonly #attributes = new Map(
    Object.entries<(context: LoopContext) => Value>({
      index: ({ index }) => index + 1,
      index0: ({ index }) => index,
      revindex: (context) => context.#items.length - context.index,
      revindex0: (context) => context.#items.length - context.index - 1,
      first: ({ index }) => index === 0,
      last: (context) => context.index === context.#items.length - 1,
      length: (context) => context.#items.length,
      depth: (context) => context.#depth,
      depth0: (context) => context.#depth - 1,
      previtem: (context) => context.#items[context.index - 1],
      nextitem: (context) => context.#items[context.index + 1],
      cycle:
        ({ index }) =>
        (values) =>
          values[index % values.length],
      changed: (context) => (values) => context.#hasChanged(values),
    }),
  );

  /** The round, from 0. */
  index = 0;
  readonly #items: readonly Value[];
  readonly #depth: number;
  #last: readonly Value[] | undefined;

  /** @param recurse runs the loop once more with other items, where the template says that it may */
  constructor(items: readonly Value[], depth: number, recurse: Callable | undefined) {
    super('LoopContext', [], recurse);
    this.#items = items;
    this.#depth = depth;
  }

  override get(name: string): Value {
    return LoopContext.#attributes.get(name)?.(this);
  }

  #hasChanged(values: readonly Value[]): boolean {
    const isSame = this.#last !== undefined && isEqual(values, this.#last);
    this.#last = values;
    return !isSame;
  }
}

interface Output {
  text: string;
  /** Set while a loop is being left. */
  exit?: 'break' | 'continue' | undefined;
}

/** Work in slices: it pauses after each round of a loop, apart from those within macros. */
type Steps<T = void> = Generator<void, T>;

/** Renders the statements of a template as Jinja2 does in Python. */
export function* renderSteps(body: Body, scope: Scope): Steps<string> {
  const output: Output = { text: '' };
  yield* run(body, scope, output);
  return output.text;
}

function* run(body: Body, scope: Scope, output: Output): Steps {
  for (const statement of body) {
    scope.budget.spend(1);
    const inner = execute(statement, scope, output);
    if (inner) yield* inner;
    if (output.exit) return;
  }
}

/** @returns the rest of the work, where there are statements within this one */
function execute(statement: Statement, scope: Scope, output: Output): Steps | undefined {
  switch (statement.type) {
    case 'text':
      write(statement.text, output);
      return undefined;
    case 'print':
      write(toText(evaluate(statement.value, scope)), output);
      return undefined;
    case 'if':
      return run(
        isTruthy(evaluate(statement.test, scope)) ? statement.body : statement.otherwise,
        scope,
        output,
      );
    case 'for':
      return loop(statement, evaluate(statement.items, scope), scope, output);
    case 'break':
    case 'continue':
      output.exit = statement.type;
      return undefined;
    case 'set':
      assign(statement.target, evaluate(statement.value, scope), scope);
      return undefined;
    case 'set-block':
      return filterBlock(statement, scope, (text) => assign(statement.target, text, scope));
    case 'with': {
      const inner = new Scope(scope);
      for (const [target, value] of statement.bindings) assign(target, evaluate(value, scope), inner);
      return run(statement.body, inner, output);
    }
    case 'macro':
      scope.set(statement.name, createMacro(statement.name, statement.parameters, statement.body, scope));
      return undefined;
    case 'call-block': {
      const caller = createMacro('caller', statement.parameters, statement.body, scope);
      write(toText(call(statement.call, scope, [['caller', caller]])), output);
      return undefined;
    }
    case 'filter-block':
      return filterBlock(statement, scope, (text) => write(toText(text), output));
    case 'scope':
      return run(statement.body, new Scope(scope), output);
  }
}

function write(text: string, output: Output): void {
  output.text += text;
  assertTextLength(output.text.length);
}

function* filterBlock(
  { body, filters }: { body: Body; filters: readonly FilterCall[] },
  scope: Scope,
  take: (text: Value) => void,
): Steps {
  const text = yield* renderSteps(body, new Scope(scope));
  take(filters.reduce<Value>((value, filter) => applyFilter(value, filter, scope), text));
}

/**
 * Every round starts with the names of the place around the loop: what one round sets, the next doesn't see. As in
 * Jinja2, and not in Python, the `else` block also runs if every round was cut short.
 */
function* loop(statement: For, given: Value, scope: Scope, output: Output, depth = 1): Steps {
  const { target, condition } = statement;
  const all = toItems(given);
  scope.budget.spendOn(all);
  const items =
    condition === undefined
      ? all
      : all.filter((item) => {
          const round = new Scope(scope);
          assign(target, item, round);
          return isTruthy(evaluate(condition, round));
        });
  const recurse: Callable | undefined = statement.isRecursive
    ? ([inner]) => {
        const nested: Output = { text: '' };
        runSteps(loop(statement, inner, scope, nested, depth + 1));
        return nested.text;
      }
    : undefined;
  const context = new LoopContext(items, depth, recurse);
  let finished = 0;
  for (const [index, item] of items.entries()) {
    scope.budget.spend(2);
    context.index = index;
    const round = new Scope(scope);
    round.set('loop', context);
    assign(target, item, round);
    yield* run(statement.body, round, output);
    yield;
    const { exit } = output;
    output.exit = undefined;
    if (exit === 'break') break;
    if (exit !== 'continue') finished += 1;
  }
  if (finished === 0) yield* run(statement.otherwise, new Scope(scope), output);
}

function assign(target: Target, value: Value, scope: Scope): void {
  if (target.type === 'name') {
    scope.set(target.name, value);
  } else if (target.type === 'tuple') {
    const items = toItems(value);
    if (items.length !== target.items.length)
      throw new TypeError(`expected ${target.items.length} values to unpack, got ${items.length}`);
    for (const [index, part] of target.items.entries()) assign(part, items[index], scope);
  } else {
    const namespace = evaluate(target.value, scope);
    if (!(namespace instanceof Namespace))
      throw new TypeError('cannot assign attribute on non-namespace object');
    namespace.attributes.set(target.name, value);
  }
}

/** A macro sees the place where it was written, not the one that it is called from. */
function createMacro(name: string, parameters: readonly Parameter[], body: Body, place: Scope): Callable {
  const takesCaller = mentions(body, 'caller');
  const takesMore = mentions(body, 'varargs');
  const takesKeywords = mentions(body, 'kwargs');
  return (args, keywords) => {
    const scope = new Scope(place);
    const rest = new Map(keywords);
    for (const [index, { name: parameter, fallback }] of parameters.entries()) {
      const isGiven = index < args.length || rest.has(parameter);
      if (index < args.length && rest.has(parameter))
        throw new TypeError(`macro '${name}' got two values for '${parameter}'`);
      const given = index < args.length ? args[index] : rest.get(parameter);
      rest.delete(parameter);
      scope.set(parameter, !isGiven && fallback ? evaluate(fallback, scope) : given);
    }
    if (takesCaller || rest.has('caller')) {
      scope.set('caller', rest.get('caller'));
      if (takesCaller) rest.delete('caller');
    }
    const [unknown] = rest.keys();
    if (unknown !== undefined && !takesKeywords)
      throw new TypeError(`macro '${name}' takes no keyword argument '${unknown}'`);
    if (args.length > parameters.length && !takesMore)
      throw new TypeError(`macro '${name}' takes not more than ${parameters.length} arguments`);
    scope.set('varargs', Tuple.from(args.slice(parameters.length)));
    scope.set('kwargs', new Map(rest));
    return runSteps(renderSteps(body, scope));
  };
}

/** Whether a name is read anywhere in a tree of the template. */
export function mentions(tree: unknown, name: string): boolean {
  if (typeof tree !== 'object' || tree === null) return false;
  if ('type' in tree && tree.type === 'name' && 'name' in tree && tree.name === name) return true;
  return Object.values(tree).some((part) => mentions(part, name));
}
