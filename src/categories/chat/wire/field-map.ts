import { orThrow, renameFields } from '../../../errors.ts';

/** Field of the request → field of the body. */
export type FieldMap = (field: string) => string;

type FieldRule = readonly [pattern: RegExp, field: string | ((...match: string[]) => string)];

export function createFieldMap(rules: readonly FieldRule[]): FieldMap {
  return (field) => {
    const [pattern, own] = rules.find(([one]) => one.test(field)) ?? [];
    return pattern === undefined ? field : field.replace(pattern, own as string);
  };
}

/** @param places the body field of each message @param list the field for other messages */
export function messagePlaces(places: readonly string[], list: string): FieldRule {
  return [
    /^messages(?:\[(\d+)\](\.content\[\d+\])?)?.*$/,
    (_, index, part = '') => {
      const place = (index && places[Number(index)]) ?? list;
      return isItem.test(place) ? place + part : place;
    },
  ];
}

/** Items with this field name have the same parts as their message. */
const isItem = /^input\[\d+\]$/;

export const promptPlace = (field: string): FieldRule => [/^prompt\[0\]/, field];

/** @param field the field that set the format @param own the dialect's field in place of `response_format` */
export function formatPlace(field: string, own?: string): FieldRule {
  if (field !== 'response_format') return [/^response_format\b.*/, field];
  return own === undefined ? [/^response_format\b/, field] : [/^response_format(?:\.json_schema)?\b/, own];
}

/** Reads parts of a request; errors get the body's field names. */
export function inFields<T>(fieldOf: FieldMap, read: () => T): T {
  return orThrow(read, (error) => renameFields(error, fieldOf));
}
