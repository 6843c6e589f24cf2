import { countJson, maxArgumentValues } from '../../text/bounded-json.ts';
import { exactEntries, parseExact } from '../../text/exact-json.ts';
import { orElse } from '../../text/or-else.ts';
import { typeOfValue } from '../../grammar/schemas/json-types.ts';
import type { ToolCall } from '../messages.ts';
import { frameOf } from './constraint.ts';
import { fill } from './edges.ts';
import { valueWriters } from './write-values.ts';
import type { CallNotation, Edge, ItemsNotation } from './notation.ts';

export type WrittenCall = Pick<ToolCall, 'name' | 'arguments'>;

/** Writes calls as models do, for templates without a place for calls. */
export function writeCalls(notation: CallNotation, calls: readonly WrittenCall[]): string {
  const { begin, between, end, firstNumber = 0 } = notation;
  const texts = calls.map(({ name, arguments: text }, index) => {
    const { prefix, suffix } = frameOf(notation, name);
    const edge = index === 0 ? begin.trimStart() : (between ?? end + begin);
    const id = `callid${String(index).padStart(3, '0')}`;
    // Slots are filled in edges alone: arguments may contain the signs of one.
    const filled = (one: Edge): string => fill(one, { name, number: firstNumber + index, id });
    const body = notation.kind === 'items' ? writeItems(notation, text, filled) : text;
    return filled(edge + prefix) + body + filled(suffix);
  });
  return texts.join('') + end;
}

function writeItems(notation: ItemsNotation, json: string, filled: (edge: Edge) => string): string {
  const { first, none, next, close, equals, values, mark = '' } = notation;
  const items = membersOf(json).map(([key, value]) => {
    const type = typeOfValue(value);
    return (
      key + filled(equals[type]) + valueWriters[values[type]](value, mark) + filled(fill(close, { key }))
    );
  });
  return items.length === 0 ? filled(none) : filled(first) + items.join(filled(next));
}

function membersOf(text: string): [string, unknown][] {
  if (countJson(text, { values: maxArgumentValues }).fault !== undefined) return [];
  return orElse(() => exactEntries(parseExact(text) as object), []);
}
