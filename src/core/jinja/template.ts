import { Budget } from './budget.ts';
import { runSteps } from '../run-steps.ts';
import { renderSteps } from './execute.ts';
import { parseTemplate } from './parser.ts';
import { Scope } from './evaluate.ts';
import { strftime } from './strftime.ts';
import { toText } from './printing.ts';
import {
  Instance,
  isDictionary,
  isInteger,
  Namespace,
  toDictionary,
  toItems,
  toValue,
  typeName,
  type Keywords,
  type Value,
} from './values.ts';

/** The limit of Jinja's sandbox. */
const maxRange = 100_000;

/** Thrown by the template itself, with `raise_exception`. */
export class TemplateRefusal extends Error {}

export interface RenderOptions {
  /** Whether the template may modify lists, which the reference forbids. Default false. */
  readonly mayChange?: boolean;
}

export interface CompiledTemplate {
  /** Whether the template reads a variable. */
  reads(name: string): boolean;
  /** @throws TemplateRefusal if the template rejects the variables, a different error if they have wrong types */
  render(variables: Readonly<Record<string, unknown>>, options?: RenderOptions): string;
  /** Like `render`, but yields after each round of a loop. */
  renderSteps(variables: Readonly<Record<string, unknown>>, options?: RenderOptions): Generator<void, string>;
}

/**
 * Compiles a chat template, for rendering like `transformers` in Python: with trimmed blocks, loop controls, and the
 * globals `raise_exception` and `strftime_now`.
 */
export function compileTemplate(source: string, now: () => Date): CompiledTemplate {
  const { body, names } = parseTemplate(source);
  const steps: CompiledTemplate['renderSteps'] = (variables, options) => {
    const scope = createGlobals(now, new Budget(options));
    for (const [name, value] of Object.entries(variables)) scope.set(name, toValue(value));
    return renderSteps(body, new Scope(scope));
  };
  return {
    reads: (name) => names.has(name),
    render: (variables, options) => runSteps(steps(variables, options)),
    renderSteps: steps,
  };
}

function createGlobals(now: () => Date, budget: Budget): Scope {
  const scope = new Scope(budget);
  scope.set('raise_exception', ([message]) => {
    throw new TemplateRefusal(toText(message));
  });
  scope.set('strftime_now', ([format]) => strftime(now(), toText(format)));
  scope.set('range', range);
  scope.set('dict', (args, keywords) => toDictionary(entriesOf(args, keywords)));
  scope.set('namespace', (args, keywords) => {
    const attributes = new Map<string, Value>();
    for (const [name, value] of entriesOf(args, keywords)) attributes.set(toText(name), value);
    return new Namespace('namespace', attributes);
  });
  scope.set('cycler', createCycler);
  scope.set('joiner', ([separator = ', ']) => createJoiner(separator));
  return scope;
}

function entriesOf([source]: readonly Value[], keywords: Keywords): (readonly [Value, Value])[] {
  const given: readonly Value[] = isDictionary(source) ? Array.from(source) : toItems(source);
  const entries = given.map((entry) => {
    const [key, value] = toItems(entry);
    return [key, value] as const;
  });
  return [...entries, ...keywords];
}

function createCycler(items: readonly Value[]): Instance {
  if (items.length === 0) throw new TypeError('at least one item has to be provided');
  let position = 0;
  /** @returns the previous item */
  const move = (to: number): Value => {
    const item = items[position];
    position = to % items.length;
    cycler.attributes.set('current', items[position]);
    return item;
  };
  const reset = (): Value => {
    move(0);
    return null;
  };
  const cycler = new Instance('Cycler', [
    ['current', items[0]],
    ['next', () => move(position + 1)],
    ['reset', reset],
  ]);
  return cycler;
}

function createJoiner(separator: Value): Instance {
  let isUsed = false;
  return new Instance('Joiner', [], () => {
    const text = isUsed ? separator : '';
    isUsed = true;
    return text;
  });
}

function range(args: readonly Value[]): Value {
  const bounds = args.map((bound) => {
    if (isInteger(bound)) return Number(bound);
    throw new TypeError(`range: expected integers, got ${typeName(bound)}`);
  });
  const [start = 0, stop = 0, step = 1] = bounds.length > 1 ? bounds : [0, ...bounds];
  if (step === 0) throw new RangeError('range: step must not be zero');
  const length = Math.max(Math.ceil((stop - start) / step), 0);
  if (length > maxRange) throw new RangeError(`range: expected at most ${maxRange} items, got ${length}`);
  return Array.from({ length }, (_item, index) => start + index * step);
}
