import { getOrCreate } from '../../get-or-create.ts';
import { choice, never, text, type Expression } from '../../grammar/languages/expression.ts';
import { anyNumber } from '../../grammar/languages/json-number.ts';
import type { Language } from '../../grammar/languages/language.ts';
import { typeOfValue, type JsonType } from '../../grammar/schemas/json-types.ts';
import { anyStringOf, rawString, type Notation } from '../../grammar/schemas/notation.ts';
import type { TextLanguages } from '../../grammar/schemas/texts.ts';
import { writeExact } from '../../text/exact-json.ts';
import { isTextOf } from './mend-json.ts';
import { areText, type Types } from './schema-types.ts';
import { toPython } from './write-values.ts';

/** Notation of values of which the strings have no quotes. */
export interface RawStyle {
  /** Types that the reader of the format takes values for; any where empty. */
  readonly types: Types;
  /** Notation of everything else. */
  readonly inner: Notation;
  /** Strings that can't be written, except constants that are known to be harmless. */
  readonly excluded: Language;
  readonly canWrite: (text: string) => boolean;
  /** Whether an edge marks strings. Default false. */
  readonly isTold?: boolean;
  /** Whether booleans and null may be Python's words, too. Default false. */
  readonly hasWords?: boolean;
  readonly texts: TextLanguages;
}

/** Strings as they are; constants are of one type. A string that would be read as another type is skipped. */
export function rawNotation(style: RawStyle): Notation {
  const { types, inner, excluded, canWrite, isTold = false } = style;
  const isText = isTold || areText(types);
  return {
    ...inner,
    constants(values) {
      const texts = values.filter((value) => typeof value === 'string');
      if (texts.length > 0)
        return text(...texts.filter((value) => canWrite(value) && (isText || isTextOf(value, types))));
      const areWords = values.every((value) => typeof value === 'boolean' || value === null);
      if (style.hasWords !== true || !areWords) return inner.constants(values);
      return text(...values.flatMap((value) => [writeExact(value), toPython(value)]));
    },
    string(strings) {
      const others = isText ? [] : [style.texts.pattern(otherValues(types), strings.path)];
      return rawString(strings, [excluded, ...others]);
    },
  };
}

/** Puts a value of a type between edges. */
export type Frame = (type: JsonType, value: Expression) => Expression;

/** Puts values into a frame that depends on their type. Values of other types than the schema's are skipped. */
export function framed(
  notation: Notation,
  { types, texts }: Pick<RawStyle, 'types' | 'texts'>,
  frame: Frame,
): Notation {
  const isNumber = (type: string): boolean => type === 'number' || type === 'integer';
  const own = (type: JsonType, value: Expression): Expression => {
    const isAllowed = types.some((one) => one === type || (isNumber(one) && isNumber(type)));
    return isAllowed || types.length === 0 ? frame(type, value) : never;
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

/** Matches strings that are taken for values of the other types. */
function otherValues(types: Types): string {
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
