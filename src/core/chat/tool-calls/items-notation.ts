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
  containing,
  jsonNotation,
  looseText,
  namesOf,
  type ArgumentsNotation,
  type Notation,
} from '../../grammar/schemas/notation.ts';
import type { Schema } from '../../grammar/schemas/json-types.ts';
import type { TextLanguages } from '../../grammar/schemas/texts.ts';
import { markedNotation, pythonNotation } from './literal-notation.ts';
import { styleOf, type ItemsNotation } from './notation.ts';
import { framed, rawNotation } from './raw-notation.ts';
import { parameterTypes } from './schema-types.ts';
import { tagSyntax } from './tag-syntax.ts';

/** Names of parameters that can be written, and those among names that the schema doesn't tell. */
const nameRules = {
  tags: [/^[^<>"\n{}]+$/, '^[^<>"{}\\s]{1,64}$'],
  python: [/^[^\s=,()[\]{}"'#]+$/, '^[A-Za-z_][A-Za-z0-9_]{0,63}$'],
  marked: [/^[^\s:,{}[\]"<>|]+$/, '^[A-Za-z_][A-Za-z0-9_]{0,63}$'],
} as const;

/** The parameters of a call, one by one, up to the end of the last: literals in brackets, or values between tags. */
export function itemsArguments(notation: ItemsNotation): (schema: unknown) => ArgumentsNotation {
  const { first, next, equals, close, mark, values: styles } = notation;
  const isLiteral = styleOf(notation) === 'literal';
  const [canName, otherNames] = nameRules[!isLiteral ? 'tags' : mark === undefined ? 'python' : 'marked'];
  const syntax = tagSyntax(notation);
  const [start, open] = isLiteral ? [first, ''] : [syntax.nameEnd, syntax.parameterOpen];
  const line = isLiteral ? empty : text('\n', '');
  const lineBreak = (isThere: boolean): Expression => text(isThere ? '\n' : '');
  const end = sequence(lineBreak(syntax.breaksBehind), looseText(close.trim()), line);
  const item = (name: Expression, value: Expression): Expression =>
    sequence(looseText(open), name, value, end);
  const nothing = (): Expression => never;

  function innerNotation(texts: TextLanguages): Notation {
    if (isLiteral && mark !== undefined) return markedNotation(mark, texts);
    return isLiteral || syntax.hasPython ? pythonNotation : jsonNotation;
  }

  return (root) => (texts) => {
    const inner = innerNotation(texts);
    const values = new Map<string, Notation>();
    const createValue = (types: readonly string[]): Notation => {
      const raw = (): Notation =>
        rawNotation({
          types,
          inner,
          excluded: containing(close.trim(), texts),
          canWrite: (written) => !endsEarly(written, syntax),
          isTold: syntax.equals.size > 1,
          hasWords: styles.boolean === 'python',
          texts,
        });
      return framed(isLiteral || syntax.hasQuotes ? inner : raw(), { types, texts }, (type, value) => {
        return sequence(looseText(equals[type].trimEnd()), lineBreak(syntax.breaksBefore), value);
      });
    };
    return {
      id: 'items',
      anyValue: never,
      constants: nothing,
      number: nothing,
      string: nothing,
      array: nothing,
      object: (content) => sequence(looseText(start), line, content),
      comma: isLiteral ? text(next) : empty,
      member: (name, value) => (canName.test(name) ? refer(rule(name, item(text(name), value))) : undefined),
      members(names, value, _, path) {
        const name = namesOf(names, otherNames, texts, path);
        return name && refer(rule('other', item(name, value)));
      },
      ofMember(name = '\n') {
        const types = (!isLiteral && parameterTypes({ name: '', parameters: root as Schema }, name)) || [];
        return getOrCreate(values, types.join(), () => createValue(types));
      },
      ofItem: () => inner,
    };
  };
}

/** Whether a value holds its close tag before another tag of the call, which would end it. */
function endsEarly(
  value: string,
  { parameterOpen, parameterClose, callClose }: ReturnType<typeof tagSyntax>,
): boolean {
  const rests = value.split(parameterClose).slice(1);
  return rests.some((rest) => [parameterOpen, callClose].some((tag) => rest.trimStart().startsWith(tag)));
}
