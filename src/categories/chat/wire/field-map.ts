import { orThrow, renameFields } from '../../../errors.ts';

/** Finds the field of a body that a field of the request was read from. */
export type FieldMap = (field: string) => string;

type FieldRule = readonly [pattern: RegExp, field: string | ((...match: string[]) => string)];

/** Makes a map in which the first rule that matches a field applies. */
export function createFieldMap(rules: readonly FieldRule[]): FieldMap {
  return (field) => {
    const [pattern, own] = rules.find(([one]) => one.test(field)) ?? [];
    return pattern === undefined ? field : field.replace(pattern, own as string);
  };
}

/**
 * The rule of messages.
 * @param places the field that each message was read from
 * @param list the field of the others
 */
export function messagePlaces(places: readonly string[], list: string): FieldRule {
  return [
    /^messages(?:\[(\d+)\](\.content\[\d+\])?)?.*$/,
    (_, index, part = '') => {
      const place = (index && places[Number(index)]) ?? list;
      return isItem.test(place) ? place + part : place;
    },
  ];
}

/** Items of this name have the same parts as their message. */
const isItem = /^input\[\d+\]$/;

/** The rule of the one prompt of a request. */
export const promptPlace = (field: string): FieldRule => [/^prompt\[0\]/, field];

/**
 * The rule of the format of an answer.
 * @param field the field that the format was read from
 * @param own the field that a dialect has in place of `response_format`
 */
export function formatPlace(field: string, own?: string): FieldRule {
  if (field !== 'response_format') return [/^response_format\b.*/, field];
  return own === undefined ? [/^response_format\b/, field] : [/^response_format(?:\.json_schema)?\b/, own];
}

/** Reads parts of a request; errors name the fields of the body. */
export function inFields<T>(fieldOf: FieldMap, read: () => T): T {
  return orThrow(read, (error) => renameFields(error, fieldOf));
}
