import { empty, never, refer, repeat, rule, sequence, text, type Expression } from '../grammar/expression.ts';
import { digit } from '../grammar/json-text.ts';
import type { TextLanguages } from '../grammar/schema-texts.ts';
import { looseText, namesOf, type ArgumentsNotation, type Notation } from '../grammar/notation.ts';
import type { ToolCallConstraint } from './format.ts';
import { rawNotation } from './raw-notation.ts';
import { parameterSchema, typesOf } from './schema-types.ts';
import type { TaggedCallSyntax } from './tagged-calls.ts';

const line = text('\n', '');

/** How a format writes parameters of which each has a tag. */
export interface TagStyle {
  /** All parameters, with what closes the call. */
  call(parameters: Expression): Expression;
  /** `undefined` for a name that can't be written. */
  parameter(name: string, value: Expression): Expression | undefined;
  /** A parameter with any of these names, if that can be written. */
  other?: (name: Expression, value: Expression) => Expression;
  /** How values are written that the reader takes for ones of these types. */
  value(types: readonly string[], texts: TextLanguages): Notation;
}

/** A tag for each parameter. */
export function tagArguments(style: TagStyle): (schema: unknown) => ArgumentsNotation {
  const { call, parameter, other, value } = style;
  return (schema) => (texts) => {
    const tool = { name: '', parameters: schema as Readonly<Record<string, unknown>> };
    const values = new Map<string, Notation>();
    const nothing = (): Expression => never;
    const notation: Notation = {
      id: 'tags',
      anyValue: never,
      constants: nothing,
      number: nothing,
      string: nothing,
      array: nothing,
      object: call,
      comma: empty,
      member(name, written) {
        const expression = parameter(name, written);
        return expression && refer(rule(name, expression));
      },
      members(names, written, _, path) {
        const name = other && namesOf(names, '^[^<>"{}/\\s]{1,64}$', texts, path);
        return name && refer(rule('other', other!(name, written)));
      },
      ofMember(name = '\n') {
        const types = parameterSchema(tool, name)?.type ?? [];
        const own = values.get(types.join()) ?? value(types, texts);
        values.set(types.join(), own);
        return own;
      },
      ofItem: () => notation,
    };
    return notation;
  };
}

/** A tag for each parameter, up to the tag that closes the call. */
export function taggedArguments(syntax: TaggedCallSyntax): (schema: unknown) => ArgumentsNotation {
  const { nameEnd, nameAttribute, parameterOpen, parameterClose, callClose, attributes } = syntax;
  const head =
    nameAttribute === undefined
      ? empty
      : sequence(text(`" ${nameAttribute}="`), repeat(digit, { min: 1, max: 3 }), text('"'));
  return tagArguments({
    call: (content) => sequence(head, text(nameEnd.join('')), line, content, text(callClose)),
    parameter: (name, value) =>
      /^[^<>"\n{}]+$/.test(name) ? sequence(text(parameterOpen + name), value, line) : undefined,
    other: (name, value) => sequence(text(parameterOpen), name, value, line),
    value: (types, texts) =>
      rawNotation({
        types,
        marker: parameterClose,
        canWrite: (written) => !endsEarly(written, syntax),
        frame: (type, value) => frameOf(type, value, syntax),
        isTold: attributes !== undefined,
        texts,
      }),
  });
}

/** What stands between a parameter's name and the next tag. */
function frameOf(type: string, value: Expression, syntax: TaggedCallSyntax): Expression {
  const { attributes = new Map(), parameterNameEnd, parameterClose, hasPaddedValues } = syntax;
  const told = [...attributes].map(([written, schema]) => ({ written, types: typesOf(schema) }));
  const own = told.find(({ types }) => types.includes(type)) ?? told.find(({ types }) => types.length === 0);
  const padding = text(hasPaddedValues ? '\n' : '');
  return sequence(
    text(own?.written ?? ''),
    looseText(parameterNameEnd.join('\n')),
    padding,
    value,
    padding,
    text(parameterClose),
  );
}

/** Whether a reader would take the value for one that ends inside. */
function endsEarly(value: string, { parameterOpen, parameterClose, callClose }: TaggedCallSyntax): boolean {
  return value
    .split(parameterClose)
    .slice(1)
    .some((rest) => [parameterOpen, callClose].some((tag) => rest.trimStart().startsWith(tag)));
}

/** What stands around all calls of an answer, each from the name on, and around one of them. */
export interface TaggedFrame {
  readonly begin?: string;
  readonly open: string;
  readonly close?: string;
  readonly separator?: string;
  readonly end?: string;
  /** Where `begin` or `open` begins with more than needed. */
  readonly trigger?: string;
}

/** Calls whose parameters have a tag each; the frames after the first are other ways that models know. */
export function taggedConstraint(
  syntax: TaggedCallSyntax,
  ...frames: readonly TaggedFrame[]
): ToolCallConstraint {
  const args = taggedArguments(syntax);
  const toConstraint = (own: TaggedFrame): ToolCallConstraint => {
    const { begin = '', open, close = '', separator = '\n', end = '' } = own;
    return {
      trigger: own.trigger ?? (begin === '' ? open : begin).replace(/\n[^]*/, ''),
      begin,
      call: (name) => ({ prefix: open + name, suffix: close }),
      separator,
      end,
      arguments: args,
      isLoose: true,
    };
  };
  const [first, ...others] = frames.map(toConstraint);
  return { ...first!, others };
}
