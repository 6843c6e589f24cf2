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
import { bracketed, comma } from '../../grammar/languages/json-text.ts';
import {
  containing,
  jsonNotation,
  jsonWithout,
  looseText,
  namesOf,
  type ArgumentsNotation,
  type Notation,
} from '../../grammar/schemas/notation.ts';
import type { TextLanguages } from '../../grammar/schemas/texts.ts';
import { fill } from './edges.ts';
import { markedNotation, pythonNotation } from './literal-notation.ts';
import { styleOf, type ItemsNotation } from './notation.ts';
import { framed, rawNotation, type Frame } from './raw-notation.ts';
import { memberSchema, typesOf, type Types } from './schema-types.ts';
import { tagSyntax } from './tag-syntax.ts';

/** Names of parameters that can be written, and those among names that the schema doesn't tell. */
const nameRules = {
  tags: [/^[^<>"\n{}]+$/, '^[^<>"{}\\s]{1,64}$'],
  elements: [/^[^<>/\s]+$/, undefined],
  python: [/^[^\s=,()[\]{}"'#]+$/, '^[A-Za-z_][A-Za-z0-9_]{0,63}$'],
  marked: [/^[^\s:,{}[\]"<>|]+$/, '^[A-Za-z_][A-Za-z0-9_]{0,63}$'],
} as const;

/**
 * The parameters of a call, one by one, up to the end of the last: literals in brackets, values between tags, or elements, with
 * elements inside of them for objects and lists. A value of which the schema tells neither names nor items is JSON there.
 */
export function itemsArguments(notation: ItemsNotation): (schema: unknown) => ArgumentsNotation {
  const { first, next, equals, close, mark = '', values: styles } = notation;
  const style = styleOf(notation);
  const [isLiteral, isNested] = [style === 'literal', style === 'elements'];
  const literalStyle = mark === '' ? 'python' : 'marked';
  const [canName, otherNames] = nameRules[isLiteral ? literalStyle : isNested ? 'elements' : 'tags'];
  const syntax = tagSyntax(notation);
  const [start, open] = isLiteral ? [first, ''] : [syntax.nameEnd, syntax.parameterOpen];
  const line = isLiteral ? empty : text('\n', '');
  const lineBreak = (isThere: boolean): Expression => text(isThere ? '\n' : '');
  const item = (name: Expression, value: Expression, key = ''): Expression => {
    const end = looseText(fill(close.trim(), { key }));
    return sequence(looseText(open), name, value, lineBreak(syntax.breaksBehind), end, line);
  };
  const nothing = (): Expression => never;

  function innerNotation(texts: TextLanguages): Notation {
    if (isNested) return jsonWithout(mark, texts);
    if (isLiteral && mark !== '') return markedNotation(mark, texts);
    return isLiteral || syntax.hasPython ? pythonNotation : jsonNotation;
  }

  return (root) => (texts) => {
    const inner = innerNotation(texts);
    const values = new Map<unknown, Notation>();
    const items = new Map<unknown, Notation>();

    function membersOf(schema: unknown): Pick<Notation, 'comma' | 'member' | 'members' | 'ofMember'> {
      return {
        comma: isLiteral ? text(next) : empty,
        member: (name, value) =>
          canName.test(name) ? refer(rule(name, item(text(name), value, name))) : undefined,
        members(names, value, _, path) {
          const name = otherNames && namesOf(names, otherNames, texts, path);
          return name && refer(rule('other', item(name, value)));
        },
        ofMember: (name = '\n') => valueOf(memberSchema(schema, name, root), values),
      };
    }

    function valueOf(schema: unknown, kept: Map<unknown, Notation>): Notation {
      const types = isLiteral ? [] : typesOf(schema, root);
      const id = `element ${values.size} ${items.size}`;
      return getOrCreate(kept, isNested ? schema : types.join(), () => {
        const frame: Frame = (type, value) => {
          const own = sequence(looseText(equals[type].trimEnd()), lineBreak(syntax.breaksBefore), value);
          return kept === items ? item(text('item'), own, 'item') : own;
        };
        const value = framed(isLiteral || syntax.hasQuotes ? inner : raw(types), { types, texts }, frame);
        return isNested ? { ...value, ...elements(schema, types, frame), id } : value;
      });
    }

    function raw(types: Types): Notation {
      return rawNotation({
        types,
        inner,
        excluded: containing(isNested ? mark : close.trim(), texts),
        canWrite: (written) => (isNested ? !written.includes(mark) : !endsEarly(written, syntax)),
        isTold: syntax.equals.size > 1,
        hasWords: styles.boolean === 'python',
        texts,
      });
    }

    function elements(schema: unknown, types: Types, frame: Frame): Partial<Notation> {
      return {
        ...membersOf(schema),
        // Among other members there is none without a name.
        anyMember: refer(rule('other', never)),
        anyArray: undefined,
        object: (content) => (types.includes('object') ? frame('object', sequence(line, content)) : never),
        array(content) {
          if (!types.includes('array') || types.includes('object')) return never;
          return frame('array', content.type === 'distinct' ? differing(content) : sequence(line, content));
        },
        ofItem: () => valueOf(memberSchema(schema, 'item', root), items),
      };
    }

    /** Texts that differ from one another are a JSON list. */
    function differing(content: Extract<Expression, { type: 'distinct' }>): Expression {
      if (content.item.type !== 'mark') return never;
      const { store } = texts;
      const { of } = content.item;
      const language = store.intersection(of.language, store.complement(containing(mark, texts)));
      const other: Expression = { type: 'mark', of: { ...of, language } };
      return bracketed('[', { ...content, item: other, separator: comma }, ']');
    }

    return {
      id: 'items',
      anyValue: never,
      constants: nothing,
      number: nothing,
      string: nothing,
      array: nothing,
      object: (content) => sequence(looseText(start), line, content),
      ofItem: () => inner,
      ...membersOf(root),
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
