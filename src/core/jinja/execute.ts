import { assertTextLength } from './budget.ts';
import { applyFilter, Scope, type Assign, type Expression, type FilterCall } from './evaluate.ts';
import { runSteps } from '../run-steps.ts';
import { Instance, isEqual, isTruthy, toItems, Tuple, type Callable, type Value } from './values.ts';

export interface Output {
  text: string;
  /** Set by `break` and `continue`. */
  exit?: 'break' | 'continue' | undefined;
}

/** Work in steps: yields after each round of a loop, except inside macros. */
export type Steps<T = void> = Generator<void, T>;

/** Executes a statement. @returns the remaining work of nested statements */
export type Statement = (scope: Scope, output: Output) => Steps | void;

export type Body = readonly Statement[];

/** Renders a template's statements like Jinja2 in Python. */
export function* renderSteps(body: Body, scope: Scope): Steps<string> {
  const output: Output = { text: '' };
  yield* run(body, scope, output);
  return output.text;
}

export function* run(body: Body, scope: Scope, output: Output): Steps {
  for (const statement of body) {
    scope.budget.spend(1);
    const inner = statement(scope, output);
    if (inner) yield* inner;
    if (output.exit) return;
  }
}

export function write(text: string, output: Output): void {
  output.text += text;
  assertTextLength(output.text.length);
}

/** Renders statements separately, and yields their filtered text. */
export function* filterBlock(
  body: Body,
  filters: readonly FilterCall[],
  scope: Scope,
  take: (text: Value) => void,
): Steps {
  const text = yield* renderSteps(body, new Scope(scope));
  take(filters.reduce<Value>((value, filter) => applyFilter(value, filter, scope), text));
}

/** The variable `loop`: its attributes reflect the current round. */
class LoopContext extends Instance {
  readonly #attributes: () => Readonly<Record<string, Value>>;

  constructor(call: Callable | undefined, attributes: () => Readonly<Record<string, Value>>) {
    super('LoopContext', [], call);
    this.#attributes = attributes;
  }

  override get(name: string): Value {
    const attributes = this.#attributes();
    return Object.hasOwn(attributes, name) ? attributes[name] : undefined;
  }
}

export interface Loop {
  readonly assign: Assign;
  /** Rounds that don't match are skipped and not counted. */
  readonly condition: Expression | undefined;
  readonly isRecursive: boolean;
  readonly body: Body;
  readonly otherwise: Body;
}

/**
 * Every round starts with the names outside the loop: later rounds don't see earlier assignments. As in Jinja2, but
 * unlike Python, the `else` block also runs if every round was cut short.
 */
export function* loop(parts: Loop, given: Value, scope: Scope, output: Output, depth = 1): Steps {
  const { assign, condition } = parts;
  const all = toItems(given);
  scope.budget.spendOn(all);
  const items =
    condition === undefined
      ? all
      : all.filter((item) => {
          const round = new Scope(scope);
          assign(item, round);
          return isTruthy(condition.evaluate(round));
        });
  const recurse: Callable = ([inner]) => {
    const nested: Output = { text: '' };
    runSteps(loop(parts, inner, scope, nested, depth + 1));
    return nested.text;
  };
  let index = 0;
  let last: readonly Value[] | undefined;
  const changed: Callable = (values) => {
    const isSame = last !== undefined && isEqual(values, last);
    last = values;
    return !isSame;
  };
  const context = new LoopContext(parts.isRecursive ? recurse : undefined, () => ({
    index: index + 1,
    index0: index,
    revindex: items.length - index,
    revindex0: items.length - index - 1,
    first: index === 0,
    last: index === items.length - 1,
    length: items.length,
    depth,
    depth0: depth - 1,
    previtem: items[index - 1],
    nextitem: items[index + 1],
    cycle: (values) => values[index % values.length],
    changed,
  }));
  let finished = 0;
  for (; index < items.length; index++) {
    scope.budget.spend(2);
    const round = new Scope(scope);
    round.set('loop', context);
    assign(items[index], round);
    yield* run(parts.body, round, output);
    yield;
    const { exit } = output;
    output.exit = undefined;
    if (exit === 'break') break;
    if (exit !== 'continue') finished += 1;
  }
  if (finished === 0) yield* run(parts.otherwise, new Scope(scope), output);
}

export interface Parameter {
  readonly name: string;
  readonly fallback: Expression | undefined;
}

export interface Macro {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly body: Body;
  readonly names: ReadonlySet<string>;
}

/** A macro sees the names at its definition, not at its call. */
export function createMacro({ name, parameters, body, names }: Macro, place: Scope): Callable {
  return (args, keywords) => {
    const scope = new Scope(place);
    const rest = new Map(keywords);
    for (const [index, { name: parameter, fallback }] of parameters.entries()) {
      const isGiven = index < args.length || rest.has(parameter);
      if (index < args.length && rest.has(parameter))
        throw new TypeError(`macro '${name}' got two values for '${parameter}'`);
      const given = index < args.length ? args[index] : rest.get(parameter);
      rest.delete(parameter);
      scope.set(parameter, !isGiven && fallback ? fallback.evaluate(scope) : given);
    }
    const takesCaller = names.has('caller');
    if (takesCaller || rest.has('caller')) {
      scope.set('caller', rest.get('caller'));
      if (takesCaller) rest.delete('caller');
    }
    const [unknown] = rest.keys();
    if (unknown !== undefined && !names.has('kwargs'))
      throw new TypeError(`macro '${name}' takes no keyword argument '${unknown}'`);
    if (args.length > parameters.length && !names.has('varargs'))
      throw new TypeError(`macro '${name}' takes not more than ${parameters.length} arguments`);
    scope.set('varargs', Tuple.from(args.slice(parameters.length)));
    scope.set('kwargs', new Map(rest));
    return runSteps(renderSteps(body, scope));
  };
}
