import { getOrCreate } from '../../get-or-create.ts';
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
import { rawNotation } from './raw-notation.ts';

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
    const json = jsonWithout(mark, texts);
    const known = new Map<unknown, Notation>();
    const items = new Map<unknown, Notation>();

    function valueOf(schema: unknown, kept: Map<unknown, Notation>): Notation {
      const id = `element ${known.size} ${items.size}`;
      return getOrCreate(kept, schema, () => create(schema, id, kept === items));
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
  const body = input.held.slice(length, -close.length);
  const schema = tool?.parameters ?? { type: 'object' };
  const json = isClosed ? readElements(body, { schema, root: schema, mark, depth: 0 }) : undefined;
  if (json === undefined || !json.startsWith('{') || !fitsTool(json, tool)) return input.giveUp();
  input.addCall(name, json);
  yield* input.dropSpace();
}

interface ElementPlace {
  readonly schema: unknown;
  readonly root: unknown;
  readonly mark: string;
  readonly depth: number;
}

const deepestNesting = 32;

/** The value of what stands inside an element: text, or elements; those called `item`, or alike, make a list. */
function readElements(text: string, place: ElementPlace): string | undefined {
  const { schema, root, mark, depth } = place;
  const types = typesOf(schema, root);
  if (text.trim() === '' && depth > 0 && !types.includes('string')) {
    if (types.includes('object')) return '{}';
    if (types.includes('array')) return '[]';
  }
  if (!text.trimStart().startsWith(`${mark}<`) && (depth > 0 || text.trim() !== ''))
    return depth === 0 ? undefined : valueText(text, { type: types });
  const members: [string, string][] = [];
  let rest = text.trimStart();
  while (rest !== '') {
    const key = /^\s*<([^<>/\s]+)>/.exec(rest.slice(mark.length));
    if (!rest.startsWith(mark) || key === null || depth > deepestNesting) return undefined;
    const [head, name = ''] = key;
    const start = mark.length + head.length;
    const end = endOf(rest, name, { mark, from: start });
    if (end === -1) return undefined;
    const value = readElements(rest.slice(start, end), {
      ...place,
      schema: memberSchema(schema, name, root),
      depth: depth + 1,
    });
    if (value === undefined) return undefined;
    members.push([name, value]);
    rest = rest.slice(end + mark.length + name.length + 3).trimStart();
  }
  const isList = depth > 0 && members.every(([name]) => name === 'item') && !types.includes('object');
  if (isList) return `[${members.map(([, value]) => value).join(', ')}]`;
  const names = [...new Set(members.map(([name]) => name))];
  const valueOf = (name: string): string => {
    const values = members.filter(([other]) => other === name).map(([, value]) => value);
    return values.length === 1 ? values[0]! : `[${values.join(', ')}]`;
  };
  return `{${names.map((name) => `${JSON.stringify(name)}: ${valueOf(name)}`).join(', ')}}`;
}

/** Start of the close tag of an element that may contain elements of the same name. */
function endOf(text: string, name: string, { mark, from }: { mark: string; from: number }): number {
  const [open, close] = [`${mark}<${name}>`, `${mark}</${name}>`];
  let depth = 1;
  for (let index = from; index < text.length; index++) {
    if (text.startsWith(open, index)) depth++;
    if (text.startsWith(close, index) && --depth === 0) return index;
  }
  return -1;
}
