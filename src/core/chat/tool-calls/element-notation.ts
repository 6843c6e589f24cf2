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
  jsonWithout,
  type ArgumentsNotation,
  type Notation,
} from '../../grammar/schemas/notation.ts';
import { rawNotation } from './raw-notation.ts';
import { memberSchema, typesOf } from './schema-types.ts';

/**
 * Elements that are named by the parameters, and elements inside of them for objects and lists. A value of which the schema
 * tells neither names nor items is JSON.
 */
export function elementArguments(mark: string): (schema: unknown) => ArgumentsNotation {
  const line = text('\n', '');
  const tagged = (name: string, value: Expression): Expression =>
    sequence(text(`${mark}<${name}>`), value, text(`${mark}</${name}>`), line);
  return (root) => (texts) => {
    const json = jsonWithout(mark, texts);
    const known = new Map<unknown, Notation>();
    const items = new Map<unknown, Notation>();

    function valueOf(schema: unknown, kept: Map<unknown, Notation>): Notation {
      const own = kept.get(schema) ?? create(schema, `element ${known.size} ${items.size}`, kept === items);
      kept.set(schema, own);
      return own;
    }

    function create(schema: unknown, id: string, isItem: boolean): Notation {
      const types = typesOf(schema, root);
      const frame = (_: string, value: Expression): Expression => (isItem ? tagged('item', value) : value);
      const raw = rawNotation({
        types,
        marker: mark,
        canWrite: (written) => !written.includes(mark),
        frame,
        inner: json,
        texts,
      });
      return {
        ...raw,
        id,
        // Among other members there is none without a name.
        anyMember: refer(rule('other', never)),
        anyArray: undefined,
        comma: empty,
        object: (content) => (types.includes('object') ? frame('object', sequence(line, content)) : never),
        array(content) {
          if (!types.includes('array') || types.includes('object')) return never;
          return frame('array', content.type === 'distinct' ? differing(content) : sequence(line, content));
        },
        member: (name, value) =>
          /^[^<>/\s]+$/.test(name) ? refer(rule(name, tagged(name, value))) : undefined,
        members: () => undefined,
        ofMember: (name = '\n') => valueOf(memberSchema(schema, name, root), known),
        ofItem: () => valueOf(memberSchema(schema, 'item', root), items),
      };
    }

    function differing(content: Extract<Expression, { type: 'distinct' }>): Expression {
      const { item } = content;
      if (item.type !== 'mark') return never;
      const { store } = texts;
      const language = store.intersection(item.of.language, store.complement(containing(mark, texts)));
      const other: Expression = { type: 'mark', of: { ...item.of, language } };
      return bracketed('[', { ...content, item: other, separator: comma }, ']');
    }

    return {
      ...valueOf(root, known),
      id: 'elements',
      anyObject: undefined,
      object: (content) => sequence(line, content),
    };
  };
}
