import { getOrCreate } from '../../get-or-create.ts';
import {
  empty,
  never,
  refer,
  rule,
  sequence,
  text,
  type Expression,
} from '../../grammar/languages/expression.ts';
import { matching } from '../../grammar/languages/regular-expression.ts';
import { looseText, namesOf, type ArgumentsNotation, type Notation } from '../../grammar/schemas/notation.ts';
import { framedCalls, namedCall, type CallsFrame } from './call-frame.ts';
import type { ToolCallConstraint } from './format.ts';
import { rawNotation } from './raw-notation.ts';
import { parameterSchema } from './schema-types.ts';
import { attributeOf, type TaggedCallSyntax } from './tagged-calls.ts';

const line = text('\n', '');

/** A tag for each parameter, up to the tag that closes the call. */
function taggedArguments(syntax: TaggedCallSyntax): (schema: unknown) => ArgumentsNotation {
  const { nameEnd, nameAttribute, parameterOpen, parameterClose, callClose, attributes } = syntax;
  const head = nameAttribute === undefined ? empty : matching(`" ${nameAttribute}="\\d{1,3}"`);
  const nothing = (): Expression => never;
  return (schema) => (texts) => {
    const tool = { name: '', parameters: schema as Readonly<Record<string, unknown>> };
    const values = new Map<string, Notation>();
    const valueOf = (types: readonly string[]): Notation =>
      getOrCreate(values, types.join(), () =>
        rawNotation({
          types,
          marker: parameterClose,
          canWrite: (written) => !endsEarly(written, syntax),
          frame: (type, value) => frameOf(type, value, syntax),
          isMarkedString: attributes !== undefined,
          texts,
        }),
      );
    const notation: Notation = {
      id: 'tags',
      anyValue: never,
      constants: nothing,
      number: nothing,
      string: nothing,
      array: nothing,
      object: (content) => sequence(head, text(nameEnd.join('')), line, content, text(callClose)),
      comma: empty,
      member: (name, value) =>
        /^[^<>"\n{}]+$/.test(name)
          ? refer(rule(name, sequence(text(parameterOpen + name), value, line)))
          : undefined,
      members(names, value, _, path) {
        const name = namesOf(names, '^[^<>"{}\\s]{1,64}$', texts, path);
        return name && refer(rule('other', sequence(text(parameterOpen), name, value, line)));
      },
      ofMember: (name = '\n') => valueOf(parameterSchema(tool, name)?.type ?? []),
      ofItem: () => notation,
    };
    return notation;
  };
}

/** The text between a parameter's name and the next tag. */
function frameOf(type: string, value: Expression, syntax: TaggedCallSyntax): Expression {
  const { parameterNameEnd, parameterClose, hasPaddedValues = false } = syntax;
  const padding = text(hasPaddedValues ? '\n' : '');
  return sequence(
    text(attributeOf(type, syntax)),
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

/** Calls whose parameters have a tag each; the frames after the first are other ways that models know. */
export function taggedConstraint(
  syntax: TaggedCallSyntax,
  ...frames: readonly CallsFrame[]
): ToolCallConstraint {
  const args = taggedArguments(syntax);
  const [first, ...others] = frames.map((frame) =>
    framedCalls(frame, namedCall(''), { arguments: args, isLoose: true }),
  );
  return { ...first!, others };
}
