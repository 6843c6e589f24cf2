import { getOrCreate } from '../../get-or-create.ts';
import { choice, never, text, type Expression } from '../../grammar/languages/expression.ts';
import { anyNumber } from '../../grammar/languages/json-number.ts';
import type { Language } from '../../grammar/languages/language.ts';
import { typeOfValue } from '../../grammar/schemas/json-types.ts';
import {
  anyStringOf,
  containing,
  jsonNotation,
  rawString,
  type Notation,
  type StringSet,
} from '../../grammar/schemas/notation.ts';
import { writeExact } from '../../text/exact-json.ts';
import { toPython } from './write-values.ts';
import type { TextLanguages } from '../../grammar/schemas/texts.ts';
import { isTextOf } from './mend-json.ts';

type ValueType = 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object';

/** Notation of values without quotes. */
export interface RawStyle {
  /** Types that the reader of the format takes values for; any where empty. */
  readonly types: readonly string[];
  /** End of strings: no string contains it, except a constant that is known to be harmless. */
  readonly marker: string;
  readonly canWrite: (text: string) => boolean;
  /** A value with what stands around it. */
  frame(type: ValueType, value: Expression): Expression;
  /** Whether what stands around it says that a value is a string. */
  readonly isMarkedString?: boolean;
  /** Notation of objects and arrays; JSON if left out. */
  readonly inner?: Notation;
  /** Whether strings have quotes, too. Default false. */
  readonly hasQuotes?: boolean;
  /** Whether booleans and null may be Python's words, too. Default false. */
  readonly hasWords?: boolean;
  readonly texts: TextLanguages;
}

/** Strings as they are, everything else as JSON. A string that would be read as something else is left out. */
export function rawNotation(style: RawStyle): Notation {
  const { types, marker, canWrite, frame, isMarkedString = false, inner = jsonNotation, texts } = style;
  const written = (kind: ValueType, group: readonly unknown[]): Expression =>
    style.hasWords === true && (kind === 'boolean' || kind === 'null')
      ? text(...group.flatMap((value) => [writeExact(value), toPython(value)]))
      : inner.constants(group);
  const allows = (type: string): boolean => types.length === 0 || types.includes(type);
  const isText = isMarkedString || (types.length > 0 && types.every((type) => type === 'string'));
  const framed = (type: ValueType, value: Expression): Expression => {
    const isNumber = type === 'number' && allows('integer');
    return allows(type) || isNumber ? frame(type, value) : never;
  };
  const constants = (values: readonly unknown[]): Expression => {
    const byType = new Map<ValueType, unknown[]>();
    for (const value of values) {
      const type = typeOfValue(value);
      const kind = type === 'integer' ? 'number' : type;
      const isWritten = typeof value !== 'string' || (canWrite(value) && (isText || isTextOf(value, types)));
      if (isWritten) getOrCreate(byType, kind, () => []).push(value);
    }
    return choice(
      ...[...byType].map(([type, group]) =>
        framed(
          type,
          type === 'string' && style.hasQuotes !== true ? text(...group.map(String)) : written(type, group),
        ),
      ),
    );
  };
  const string = (strings: StringSet): Expression => {
    if (style.hasQuotes === true) return framed('string', inner.string(strings));
    const others: Language[] = isText ? [] : [texts.pattern(otherValues(types), strings.path)];
    return framed('string', rawString(strings, [containing(marker, texts), ...others]));
  };
  const array = (content: Expression): Expression => framed('array', inner.array(content));
  const object = (content: Expression): Expression => framed('object', inner.object(content));
  const anyArray = framed('array', inner.anyArray!);
  const anyObject = framed('object', inner.anyObject!);
  return {
    ...inner,
    id: `raw ${types.join()}`,
    anyValue: choice(
      string(anyStringOf(texts)),
      framed('number', anyNumber),
      constants([true, false, null]),
      anyArray,
      anyObject,
    ),
    anyArray,
    anyObject,
    constants,
    number: (digits) => framed('number', digits),
    string,
    array,
    object,
  };
}

/** Matches strings that are taken for values of the other types. */
function otherValues(types: readonly string[]): string {
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
