import { getOrCreate } from '../../get-or-create.ts';
import { choice, never, type Expression } from '../../grammar/languages/expression.ts';
import { anyNumber } from '../../grammar/languages/json-number.ts';
import { typeOfValue, type JsonType } from '../../grammar/schemas/json-types.ts';
import { anyStringOf, type Notation } from '../../grammar/schemas/notation.ts';
import type { TextLanguages } from '../../grammar/schemas/texts.ts';
import type { Types } from './schema-types.ts';

export type Frame = (type: JsonType, value: Expression) => Expression;

/**
 * Puts values into a frame that depends on their type. `notation` gets constants of one type at a time. Values of types that the
 * schema excludes are skipped.
 */
export function framed(
  notation: Notation,
  { types, texts }: { readonly types: Types; readonly texts: TextLanguages },
  frame: Frame,
): Notation {
  const isNumber = (type: string): boolean => type === 'number' || type === 'integer';
  const own = (type: JsonType, value: Expression): Expression => {
    const allows = (one: string): boolean => one === type || (isNumber(one) && isNumber(type));
    return types.length === 0 || types.some(allows) ? frame(type, value) : never;
  };
  const constants = (values: readonly unknown[]): Expression => {
    const byType = new Map<JsonType, unknown[]>();
    for (const value of values) getOrCreate(byType, typeOfValue(value), () => []).push(value);
    return choice(...[...byType].map(([type, group]) => own(type, notation.constants(group))));
  };
  const anyArray = own('array', notation.anyArray!);
  const anyObject = own('object', notation.anyObject!);
  return {
    ...notation,
    id: `framed ${types.join()}`,
    anyValue: choice(
      own('string', notation.string(anyStringOf(texts))),
      own('number', anyNumber),
      constants([true, false, null]),
      anyArray,
      anyObject,
    ),
    anyArray,
    anyObject,
    constants,
    number: (digits) => own('number', notation.number(digits)),
    string: (strings) => own('string', notation.string(strings)),
    array: (content) => own('array', notation.array(content)),
    object: (content) => own('object', notation.object(content)),
  };
}

/** Matches strings that would be read as values of a non-string type. */
export function otherValues(types: Types): string {
  const allows = (...some: string[]): boolean =>
    types.length === 0 || some.some((type) => types.includes(type));
  const words = [
    ...(types.includes('array') || types.includes('object') ? [''] : []),
    ...(allows('null') ? ['null', 'None'] : []),
    ...(allows('boolean') ? ['true', 'True', 'false', 'False'] : []),
    ...(allows('number', 'integer') ? ['-?\\d+(\\.\\d+)?([eE][+-]?\\d+)?'] : []),
  ];
  const starts = ['<!\\[CDATA\\[', ...(allows('array') ? ['\\['] : []), ...(allows('object') ? ['\\{'] : [])];
  return `^\\s*((${words.join('|')})\\s*$|(${starts.join('|')}))`;
}
