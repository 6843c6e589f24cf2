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
import {
  jsonNotation,
  looseText,
  namesOf,
  type ArgumentsNotation,
  type Notation,
} from '../../grammar/schemas/notation.ts';
import { pythonNotation } from './literal-notation.ts';
import type { ItemsNotation } from './notation.ts';
import { rawNotation } from './raw-notation.ts';
import { parameterSchema } from './schema-types.ts';
import type { TagSyntax } from './tag-syntax.ts';

const line = text('\n', '');

/** The parameters of a call, with a tag each, up to the tag that closes the call. */
export function taggedArguments(
  { equals, close, values: styles }: ItemsNotation,
  {
    parameterOpen,
    parameterClose,
    callClose,
    equals: told,
    nameEnd,
    breaksBefore,
    breaksBehind,
    hasQuotes,
  }: TagSyntax,
): (schema: unknown) => ArgumentsNotation {
  const nothing = (): Expression => never;
  const lineBreak = (isThere: boolean): Expression => text(isThere ? '\n' : '');
  const endsEarly = (value: string): boolean =>
    value
      .split(parameterClose)
      .slice(1)
      .some((rest) => [parameterOpen, callClose].some((tag) => rest.trimStart().startsWith(tag)));
  return (schema) => (texts) => {
    const tool = { name: '', parameters: schema as Readonly<Record<string, unknown>> };
    const values = new Map<string, Notation>();
    const valueOf = (types: readonly string[]): Notation =>
      getOrCreate(values, types.join(), () =>
        rawNotation({
          types,
          marker: parameterClose,
          canWrite: (written) => !endsEarly(written),
          frame: (type, value) =>
            sequence(
              looseText(equals[type].trimEnd()),
              lineBreak(breaksBefore),
              value,
              lineBreak(breaksBehind),
              looseText(close.trim()),
            ),
          isMarkedString: told.size > 1,
          hasQuotes,
          inner: styles.object === 'python' ? pythonNotation : jsonNotation,
          hasWords: styles.boolean === 'python',
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
      object: (content) => sequence(looseText(nameEnd), line, content),
      comma: empty,
      member: (name, value) =>
        /^[^<>"\n{}]+$/.test(name)
          ? refer(rule(name, sequence(looseText(parameterOpen + name), value, line)))
          : undefined,
      members(names, value, _, path) {
        const name = namesOf(names, '^[^<>"{}\\s]{1,64}$', texts, path);
        return name && refer(rule('other', sequence(looseText(parameterOpen), name, value, line)));
      },
      ofMember: (name = '\n') => valueOf(parameterSchema(tool, name)?.type ?? []),
      ofItem: () => notation,
    };
    return notation;
  };
}
