import { Template } from '@huggingface/jinja';
import type { Node } from './ast.ts';
import { renderBlock } from './evaluate.ts';
import { Scope } from './scope.ts';
import { strftime } from './strftime.ts';
import { toText } from './printing.ts';
import {
  isDictionary,
  isInteger,
  Namespace,
  toItems,
  toValue,
  typeName,
  type Keywords,
  type Value,
} from './values.ts';

/** As in Jinja's sandbox. */
const maxRange = 100_000;

/** The template's own `raise_exception`. */
export class TemplateRefusal extends Error {}

/**
 * Compiles a chat template, to be rendered as `transformers` does it in Python: with blocks trimmed, loop controls,
 * and `raise_exception` and `strftime_now` among the globals.
 *
 * @param now the clock behind `strftime_now`, read in local time
 * @returns renders with the variables given; throws `TemplateRefusal` where the template refuses them, another error
 *   where they don't fit
 * @throws Error if the source is no valid Jinja
 *
 * @example
 * ```ts
 * compileTemplate('{{ value }}', () => new Date())({ value: [true, null] }); // '[True, None]'
 * ```
 */
export function compileTemplate(
  source: string,
  now: () => Date,
): (variables: Readonly<Record<string, unknown>>) => string {
  const { body } = new Template(source.replace(/\r\n?/g, '\n')).parsed as { readonly body: readonly Node[] };
  return (variables) => {
    const scope = createGlobals(now);
    for (const [name, value] of Object.entries(variables)) scope.set(name, toValue(value));
    return renderBlock(body, new Scope(scope));
  };
}

function createGlobals(now: () => Date): Scope {
  const scope = new Scope();
  for (const [name, value] of [
    ['true', true],
    ['false', false],
    ['none', null],
  ] as const) {
    scope.set(name, value);
    scope.set(name.charAt(0).toUpperCase() + name.slice(1), value);
  }
  scope.set('raise_exception', ([message]) => {
    throw new TemplateRefusal(toText(message));
  });
  scope.set('strftime_now', ([format]) => strftime(now(), toText(format)));
  scope.set('range', range);
  scope.set('dict', (args, keywords) => new Map(entriesOf(args, keywords)));
  scope.set('namespace', (args, keywords) => new Namespace(entriesOf(args, keywords)));
  return scope;
}

function entriesOf([source]: readonly Value[], keywords: Keywords): (readonly [string, Value])[] {
  const given: readonly Value[] = isDictionary(source) ? Array.from(source) : toItems(source);
  const entries = given.map((entry) => {
    const [key, value] = toItems(entry);
    return [toText(key), value] as const;
  });
  return [...entries, ...keywords];
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
