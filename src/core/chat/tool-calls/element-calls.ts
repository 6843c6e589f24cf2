import { getOrCreate } from '../../get-or-create.ts';
import { TextCursor } from '../../text/text-cursor.ts';
import type { Reading } from '../text-input.ts';
import type { AnswerInput } from './answer-input.ts';
import { fitsTool, valueText } from './mend-json.ts';
import type { ItemsNotation } from './notation.ts';
import { memberSchema, typesOf } from './schema-types.ts';

export function* readElementsCall(
  input: AnswerInput,
  { end, mark = '' }: ItemsNotation,
  name: string,
): Reading<boolean> {
  const close = end.split('\n', 1)[0]!;
  const isNamed = (yield* input.takeAny(['">'])) !== null;
  const { length } = input.held;
  const isClosed = isNamed && (yield* input.takeUntil([close])) !== null;
  const tool = input.toolNamed(name);
  const schema = tool?.parameters;
  const body = new TextCursor(input.held.slice(length, -close.length));
  const json = isClosed ? readMembers(body, { schema, root: schema, mark, depth: 0 }) : undefined;
  if (json === undefined || !body.isAtEnd || !fitsTool(json, tool)) return false;
  input.addCall(name, json);
  return true;
}

interface ElementPlace {
  readonly schema: unknown;
  readonly root: unknown;
  readonly mark: string;
  readonly depth: number;
}

const maxNesting = 32;

/** The value of an element up to its close tag: text, or elements; those called `item` make a list. */
function readElement(cursor: TextCursor, place: ElementPlace): string | undefined {
  const { schema, root, mark, depth } = place;
  const end = cursor.source.indexOf(mark, cursor.index);
  if (end === -1) return undefined;
  const text = cursor.source.slice(cursor.index, end);
  const types = typesOf(schema, root);
  cursor.index = end;
  if (!cursor.source.startsWith(`${mark}</`, cursor.index))
    return text.trim() === '' && depth < maxNesting ? readMembers(cursor, place) : undefined;
  const isEmpty = text.trim() === '' && !types.includes('string');
  if (isEmpty && types.includes('object')) return '{}';
  return isEmpty && types.includes('array') ? '[]' : valueText(text, types);
}

/** The values of the elements up to the next close tag; several of one name make a list. */
function readMembers(cursor: TextCursor, { schema, root, mark, depth }: ElementPlace): string | undefined {
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
