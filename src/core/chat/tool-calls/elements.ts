import { getOrCreate } from '../../get-or-create.ts';
import { TextCursor } from '../../text/text-cursor.ts';
import type { AnswerInput, Reading } from './answer-input.ts';
import { fitsTool, valueText } from './mend-json.ts';
import type { ItemsNotation } from './notation.ts';
import { memberSchema, typesOf } from './schema-types.ts';
import {
  empty,
  never,
  refer,
  rule,
  sequence,
  text as literal,
  type Expression,
} from '../../grammar/languages/expression.ts';
import { bracketed, comma } from '../../grammar/languages/json-text.ts';
import {
  containing,
  jsonWithout,
  type ArgumentsNotation,
  type Notation,
} from '../../grammar/schemas/notation.ts';
import { framed, rawNotation } from './raw-notation.ts';

/**
 * Elements that are named by the parameters, and elements inside of them for objects and lists. A value of which the schema
 * tells neither names nor items is JSON.
 */
export function elementArguments({
  mark = '',
  first,
}: ItemsNotation): (schema: unknown) => ArgumentsNotation {
  const line = literal('\n', '');
  const tagged = (name: string, value: Expression): Expression =>
    sequence(literal(`${mark}<${name}>`), value, literal(`${mark}</${name}>`), line);
  return (root) => (texts) => {
    const excluded = containing(mark, texts);
    const inner = jsonWithout(mark, texts);
    const members = new Map<unknown, Notation>();
    const items = new Map<unknown, Notation>();

    function valueOf(schema: unknown, kept: Map<unknown, Notation>): Notation {
      const id = `element ${members.size} ${items.size}`;
      return getOrCreate(kept, schema, () => create(schema, id, kept === items));
    }

    function create(schema: unknown, id: string, isItem: boolean): Notation {
      const types = typesOf(schema, root);
      const canWrite = (written: string): boolean => !written.includes(mark);
      const frame = (value: Expression): Expression => (isItem ? tagged('item', value) : value);
      const raw = rawNotation({ types, inner, excluded, canWrite, texts });
      return {
        ...framed(raw, { types, texts }, (_, value) => frame(value)),
        id,
        // Among other members there is none without a name.
        anyMember: refer(rule('other', never)),
        anyArray: undefined,
        comma: empty,
        object: (content) => (types.includes('object') ? frame(sequence(line, content)) : never),
        array(content) {
          if (!types.includes('array') || types.includes('object')) return never;
          return frame(content.type === 'distinct' ? differing(content) : sequence(line, content));
        },
        member: (name, value) =>
          /^[^<>/\s]+$/.test(name) ? refer(rule(name, tagged(name, value))) : undefined,
        members: () => undefined,
        ofMember: (name = '\n') => valueOf(memberSchema(schema, name, root), members),
        ofItem: () => valueOf(memberSchema(schema, 'item', root), items),
      };
    }

    function differing(content: Extract<Expression, { type: 'distinct' }>): Expression {
      const { item } = content;
      if (item.type !== 'mark') return never;
      const { store } = texts;
      const language = store.intersection(item.of.language, store.complement(excluded));
      const other: Expression = { type: 'mark', of: { ...item.of, language } };
      return bracketed('[', { ...content, item: other, separator: comma }, ']');
    }

    return {
      ...valueOf(root, members),
      id: 'elements',
      anyObject: undefined,
      object: (content) => sequence(literal(first.slice(0, 2)), line, content),
    };
  };
}

/** Reads one call, whose parameters are elements, up to its close tag. */
export function* readElementsCall(
  input: AnswerInput,
  { end, mark = '' }: ItemsNotation,
  name: string,
): Reading {
  const close = end.split('\n', 1)[0]!;
  const isNamed = (yield* input.takeAny(['">'])) !== null;
  const { length } = input.held;
  const isClosed = isNamed && (yield* input.holdUntil([close])) !== null;
  const tool = input.toolNamed(name);
  const body = new TextCursor(input.held.slice(length, -close.length));
  const json = isClosed
    ? readMembers(body, { schema: tool?.parameters, root: tool?.parameters, mark })
    : undefined;
  if (json === undefined || !body.isAtEnd || !fitsTool(json, tool)) return input.giveUp();
  input.addCall(name, json);
  yield* input.dropSpace();
}

interface ElementPlace {
  readonly schema: unknown;
  readonly root: unknown;
  readonly mark: string;
  /** Number of elements around this one; default 0. */
  readonly depth?: number;
}

const deepestNesting = 32;

/** The value of an element up to its close tag: text, or elements; those called `item` make a list. */
function readElement(cursor: TextCursor, place: ElementPlace): string | undefined {
  const { schema, root, mark, depth = 0 } = place;
  const end = cursor.source.indexOf(mark, cursor.index);
  if (end === -1) return undefined;
  const text = cursor.source.slice(cursor.index, end);
  const types = typesOf(schema, root);
  cursor.index = end;
  if (!cursor.source.startsWith(`${mark}</`, cursor.index))
    return text.trim() === '' && depth < deepestNesting ? readMembers(cursor, place) : undefined;
  const isEmpty = text.trim() === '' && !types.includes('string');
  if (isEmpty && types.includes('object')) return '{}';
  return isEmpty && types.includes('array') ? '[]' : valueText(text, types);
}

/** The values of the elements up to the next close tag; several of one name make a list. */
function readMembers(
  cursor: TextCursor,
  { schema, root, mark, depth = 0 }: ElementPlace,
): string | undefined {
  const members = new Map<string, string[]>();
  cursor.takeMatch(/\s*/y);
  while (!cursor.isAtEnd && !cursor.source.startsWith(`${mark}</`, cursor.index)) {
    const name = cursor.take(mark) && cursor.takeMatch(/<([^<>/\s]+)>/y)?.[1];
    if (!name) return undefined;
    const inner = { schema: memberSchema(schema, name, root), root, mark, depth: depth + 1 };
    const value = readElement(cursor, inner);
    if (value === undefined || !cursor.take(`${mark}</${name}>`)) return undefined;
    getOrCreate(members, name, () => []).push(value);
    cursor.takeMatch(/\s*/y);
  }
  const list = (values: readonly string[]): string => `[${values.join(', ')}]`;
  const items = members.size === 1 && depth > 0 ? members.get('item') : undefined;
  if (items && !typesOf(schema, root).includes('object')) return list(items);
  const texts = [...members].map(([name, values]) => {
    return `${JSON.stringify(name)}: ${values.length === 1 ? values[0]! : list(values)}`;
  });
  return `{${texts.join(', ')}}`;
}
